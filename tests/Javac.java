import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import javax.tools.ToolProvider;

/** A server for tests: is a symbol called boom, and nothing else, what javac does not find? */
class Javac {
  public static void main(String[] args) throws IOException {
    var javac = ToolProvider.getSystemJavaCompiler();
    var paths = new BufferedReader(new InputStreamReader(System.in));
    for (String path = paths.readLine(); path != null; path = paths.readLine()) {
      var told = new ByteArrayOutputStream();
      javac.run(null, null, told, "-proc:none", path);
      var text = told.toString();
      boolean found = text.contains("cannot find symbol") && text.contains("variable boom");
      System.out.println(found ? "interesting" : "uninteresting");
    }
  }
}
