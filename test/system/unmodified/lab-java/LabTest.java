import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Tests a client of the identity provider over /lab. It needs only the standard library of Java. */
public class LabTest {
  static final String URL = System.getenv("AUTH_URL");
  static final String SERVER_API = "api://9f6d2a41-3b58-4c7e-8a10-5e2d7c94b3f6";
  static final HttpClient HTTP = HttpClient.newHttpClient();

  interface Test {
    void run(Lab lab) throws Exception;
  }

  public static void main(String[] args) throws Exception {
    Map<String, Test> tests = new java.util.TreeMap<>(Map.of(
        "a fault breaks one run only", LabTest::faultOfOneRun,
        "hostile tokens for an API", LabTest::hostileTokens,
        "requests contain no secret", LabTest::requestsWithoutSecrets));
    for (var test : tests.entrySet()) {
      var lab = new Lab(accessToken(requestToken("setup")));
      lab.call("POST", "/reset", "");
      test.getValue().run(lab);
      System.out.println(test.getKey() + " ... ok");
    }
  }

  static void faultOfOneRun(Lab lab) throws Exception {
    lab.call("POST", "/faults", "{\"at\":\"token\",\"fault\":\"throttled\",\"retryAfterSeconds\":7,\"run\":\"java\"}");
    equal(200, requestToken("other").statusCode());
    var throttled = requestToken("java");
    equal(429, throttled.statusCode());
    equal("7", throttled.headers().firstValue("retry-after").orElse(""));
    equal("1", member("applied", lab.call("GET", "/faults", "")));
  }

  static void hostileTokens(Lab lab) throws Exception {
    var api = System.getenv("API_APPLICATION_ID");
    var answer = lab.call("POST", "/forgeries", "{\"api\":\"" + api + "\"}");
    equal(true, answer.split("\"section\":").length > 40);
  }

  static void requestsWithoutSecrets(Lab lab) throws Exception {
    requestToken("java");
    var requests = lab.call("GET", "/requests", "");
    equal("[redacted]", member("client_secret", requests));
    equal(false, requests.contains(System.getenv("ADMINISTRATOR_SECRET")));
  }

  /** The operations of /lab, as an administrator. */
  record Lab(String token) {
    String call(String method, String path, String body) throws Exception {
      var request = HttpRequest.newBuilder(URI.create(URL + "/lab" + path))
          .header("authorization", "Bearer " + token)
          .header("content-type", "application/json")
          .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
      var answer = HTTP.send(request.build(), BodyHandlers.ofString());
      if (answer.statusCode() > 299) throw new IllegalStateException(answer.body());
      return answer.body();
    }
  }

  /** Requests a token as the administrator, within a run. */
  static HttpResponse<String> requestToken(String run) throws Exception {
    var form = Map.of(
        "grant_type", "client_credentials",
        "client_id", System.getenv("ADMINISTRATOR_ID"),
        "client_secret", System.getenv("ADMINISTRATOR_SECRET"),
        "scope", SERVER_API + "/.default");
    var body = form.entrySet().stream()
        .map(one -> one.getKey() + "=" + URLEncoder.encode(one.getValue(), StandardCharsets.UTF_8))
        .collect(Collectors.joining("&"));
    var request = HttpRequest.newBuilder(URI.create(URL + "/" + System.getenv("TENANT_ID") + "/oauth2/v2.0/token"))
        .header("content-type", "application/x-www-form-urlencoded")
        .header("x-greeting-run", run)
        .POST(BodyPublishers.ofString(body));
    return HTTP.send(request.build(), BodyHandlers.ofString());
  }

  static String accessToken(HttpResponse<String> answer) {
    return member("access_token", answer.body());
  }

  /** The first member of this name. A real test uses a library for JSON. */
  static String member(String name, String json) {
    var found = Pattern.compile("\"" + name + "\":\"?([^\",}]*)").matcher(json);
    return found.find() ? found.group(1) : "";
  }

  static void equal(Object expected, Object actual) {
    if (!expected.equals(actual)) throw new AssertionError("expected " + expected + ", not " + actual);
  }
}
