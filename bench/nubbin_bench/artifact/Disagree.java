import java.io.*;
import java.net.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.regex.*;
import javax.xml.transform.stream.StreamSource;
import net.sf.saxon.s9api.*;

/**
 * Tells whether one build of BaseX disagrees with Saxon on a query and another one agrees.
 *
 * <p>Arguments: the build with the bug, the build without, the query, and options of BaseX for the
 * build without. Reads paths of documents from standard input and answers each with a line:
 * interesting, or uninteresting. Results are compared by the values of the id attributes in what the
 * engines print; an engine that reports an error is not a witness. Each build has a class loader of its own, and
 * its settings in a folder of its own in the current one, into which the query is written, too.
 */
public class Disagree {
  private static final Pattern ID = Pattern.compile("id=\"([^\"\n]*)\"");

  interface Engine {
    String answer(Path document) throws Exception;
  }

  public static void main(String[] arguments) throws Exception {
    PrintStream answers = new PrintStream(new FileOutputStream(FileDescriptor.out), true);
    System.setErr(new PrintStream(OutputStream.nullOutputStream()));
    List<String> options = List.of(arguments).subList(3, arguments.length);
    Engine bad = basex(arguments[0], arguments[2], List.of());
    Engine good = basex(arguments[1], arguments[2], options);
    Engine saxon = saxon(arguments[2]);
    BufferedReader paths = new BufferedReader(new InputStreamReader(System.in));
    for (String path; (path = paths.readLine()) != null; ) {
      answers.println(differ(Path.of(path), saxon, bad, good) ? "interesting" : "uninteresting");
    }
  }

  static boolean differ(Path document, Engine saxon, Engine bad, Engine good) {
    try {
      List<String> right = ids(saxon.answer(document));
      return !ids(bad.answer(document)).equals(right) && ids(good.answer(document)).equals(right);
    } catch (Exception refused) {
      return false;
    }
  }

  static List<String> ids(String result) {
    List<String> found = new ArrayList<>();
    for (Matcher each = ID.matcher(result); each.find(); ) {
      if (!each.group(1).isBlank()) found.add(each.group(1));
    }
    return found;
  }

  static Engine saxon(String query) throws SaxonApiException {
    Processor processor = new Processor(false);
    XQueryCompiler compiler = processor.newXQueryCompiler();
    compiler.declareNamespace("math", "http://www.w3.org/2005/xpath-functions/math");
    XQueryExecutable compiled = compiler.compile(query);
    return document -> {
      StringWriter text = new StringWriter();
      XQueryEvaluator evaluator = compiled.load();
      DocumentBuilder builder = processor.newDocumentBuilder();
      evaluator.setContextItem(builder.build(new StreamSource(document.toFile())));
      evaluator.run(processor.newSerializer(text));
      return text.toString();
    };
  }

  static Engine basex(String jar, String query, List<String> options) throws Exception {
    URL[] urls = {Path.of(jar).toUri().toURL()};
    ClassLoader loader = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader());
    Path home = Files.createTempDirectory(Path.of("").toAbsolutePath(), "basex");
    System.setProperty("org.basex.path", home.toString());
    Class.forName("org.basex.util.Prop", true, loader); // It reads the property.
    var main = loader.loadClass("org.basex.BaseX").getConstructor(String[].class);
    Path file = Files.writeString(home.resolve("query.xq"), query);
    return document -> {
      ByteArrayOutputStream text = new ByteArrayOutputStream();
      System.setOut(new PrintStream(text, true, "UTF-8"));
      Thread.currentThread().setContextClassLoader(loader);
      List<String> words = new ArrayList<>(options);
      words.addAll(List.of("-i", document.toString(), file.toString()));
      main.newInstance((Object) words.toArray(new String[0]));
      return text.toString(StandardCharsets.UTF_8);
    };
  }
}
