import static org.junit.jupiter.api.Assertions.assertEquals;

import com.nimbusds.jose.JWSAlgorithm;
import com.nimbusds.jose.jwk.source.JWKSourceBuilder;
import com.nimbusds.jose.proc.JWSVerificationKeySelector;
import com.nimbusds.jose.util.JSONObjectUtils;
import com.nimbusds.jwt.JWTClaimsSet;
import com.nimbusds.jwt.proc.DefaultJWTClaimsVerifier;
import com.nimbusds.jwt.proc.DefaultJWTProcessor;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** An API that verifies tokens, and its tests with real tokens. The variables are those of test.env. */
class OrdersTest {
  static final String TENANT = setting("AUTH_URL") + "/" + setting("TENANT_ID");
  static final String AUDIENCE = "api://" + setting("API_APPLICATION_ID");
  static final DefaultJWTProcessor<?> VERIFIER = verifier();
  static final HttpClient HTTP = HttpClient.newHttpClient();
  static HttpServer api;

  static DefaultJWTProcessor<?> verifier() {
    try {
      var keys = JWKSourceBuilder.create(URI.create(TENANT + "/discovery/keys").toURL()).build();
      var verifier = new DefaultJWTProcessor<>();
      verifier.setJWSKeySelector(new JWSVerificationKeySelector<>(JWSAlgorithm.RS256, keys));
      var exact = new JWTClaimsSet.Builder().issuer(TENANT + "/").build();
      verifier.setJWTClaimsSetVerifier(new DefaultJWTClaimsVerifier<>(AUDIENCE, exact, Set.of("exp")));
      return verifier;
    } catch (java.net.MalformedURLException error) {
      throw new IllegalArgumentException(error);
    }
  }

  static int answer(String authorization) {
    if (authorization == null || !authorization.startsWith("Bearer ")) return 401;
    try {
      var roles = VERIFIER.process(authorization.substring(7), null).getStringListClaim("roles");
      return roles != null && roles.contains("Orders.Read") ? 200 : 403;
    } catch (Exception refused) {
      return 401;
    }
  }

  @BeforeAll
  static void start() throws Exception {
    api = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    api.createContext("/orders", (HttpExchange call) -> {
      call.sendResponseHeaders(answer(call.getRequestHeaders().getFirst("authorization")), -1);
      call.close();
    });
    api.start();
  }

  @AfterAll
  static void stop() {
    api.stop(0);
  }

  static String token(String clientId) throws Exception {
    var form = Map.of(
        "grant_type", "client_credentials",
        "client_id", clientId,
        "client_secret", setting("CLIENT_SECRET"),
        "scope", AUDIENCE + "/.default");
    var body = form.entrySet().stream()
        .map(field -> field.getKey() + "=" + URLEncoder.encode(field.getValue(), StandardCharsets.UTF_8))
        .collect(Collectors.joining("&"));
    var request = HttpRequest.newBuilder(URI.create(TENANT + "/oauth2/v2.0/token"))
        .header("content-type", "application/x-www-form-urlencoded")
        .POST(HttpRequest.BodyPublishers.ofString(body));
    var answer = HTTP.send(request.build(), BodyHandlers.ofString());
    assertEquals(200, answer.statusCode(), answer.body());
    return (String) JSONObjectUtils.parse(answer.body()).get("access_token");
  }

  static int status(String accessToken) throws Exception {
    var request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + api.getAddress().getPort() + "/orders"));
    if (accessToken != null) request.header("authorization", "Bearer " + accessToken);
    return HTTP.send(request.build(), BodyHandlers.discarding()).statusCode();
  }

  static String setting(String name) {
    return java.util.Objects.requireNonNull(System.getenv(name), name);
  }

  @Test
  void withoutATokenItIs401() throws Exception {
    assertEquals(401, status(null));
  }

  @Test
  void withAForgedSignatureItIs401() throws Exception {
    var genuine = token(setting("CLIENT_ID"));
    assertEquals(401, status(genuine.substring(0, genuine.lastIndexOf('.')) + ".AAAA"));
  }

  @Test
  void withoutTheRoleItIs403() throws Exception {
    assertEquals(403, status(token(setting("CLIENT_ID_WITHOUT_ROLE"))));
  }

  @Test
  void withTheRoleItIs200() throws Exception {
    assertEquals(200, status(token(setting("CLIENT_ID"))));
  }
}
