import java.io.*;
import java.net.*;
import java.nio.file.*;
import java.util.StringJoiner;
import java.util.concurrent.*;
import javax.xml.parsers.*;
import javax.xml.xpath.*;
import org.basex.core.*;
import org.basex.core.cmd.*;
import org.w3c.dom.*;

/**
 * Tells, over and over, whether two engines select the same elements of a document.
 *
 * Serves on a port of this machine, which it prints. A request is two lines, the path of an XML
 * file and a path query; the answer is one: 0 if BaseX and the JDK's XPath disagree on the id
 * attributes of the elements, 1 if they agree, 2 if either of them reports an error.
 */
public class Differ {
  public static void main(String[] arguments) throws Exception {
    ExecutorService workers = Executors.newFixedThreadPool(4);
    try (ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
      System.out.println(server.getLocalPort());
      while (true) {
        Socket client = server.accept();
        workers.submit(() -> serve(client));
      }
    }
  }

  static void serve(Socket client) {
    try (client) {
      BufferedReader lines =
          new BufferedReader(new InputStreamReader(client.getInputStream(), "UTF-8"));
      int answer = compare(Paths.get(lines.readLine()), lines.readLine());
      client.getOutputStream().write((answer + "\n").getBytes());
    } catch (IOException gone) {
      // Whoever asked has been stopped meanwhile.
    }
  }

  static int compare(Path file, String query) {
    try {
      byte[] data = Files.readAllBytes(file);
      return jdk(data, query).equals(basex(data, query)) ? 1 : 0;
    } catch (Throwable refused) {
      return 2;
    }
  }

  static String jdk(byte[] data, String query) throws Exception {
    DocumentBuilder builder = DocumentBuilderFactory.newInstance().newDocumentBuilder();
    builder.setErrorHandler(null);
    NodeList found =
        (NodeList)
            XPathFactory.newInstance()
                .newXPath()
                .evaluate(
                    "(" + query + ")[self::*]",
                    builder.parse(new ByteArrayInputStream(data)),
                    XPathConstants.NODESET);
    StringJoiner ids = new StringJoiner(" ");
    for (int i = 0; i < found.getLength(); i++) {
      ids.add(((Element) found.item(i)).getAttribute("id"));
    }
    return ids.toString();
  }

  static String basex(byte[] data, String query) throws Exception {
    Context context = new Context();
    try {
      context.options.set(MainOptions.MAINMEM, true);
      context.options.set(MainOptions.CHOP, false);
      new CreateDB("it", new String(data, "UTF-8")).execute(context);
      return new XQuery("string-join((" + query + ")[self::*]/@id/string(), ' ')").execute(context);
    } finally {
      context.close();
    }
  }
}
