import sys

from PIL import ImageFont

font = ImageFont.truetype(sys.argv[1], 40)
pair, apart = font.getlength("AV"), font.getlength("A") + font.getlength("V")
print("kerned" if 0 < pair < apart - 1 else "not kerned", pair, apart)
