import com.microsoft.aad.msal4j.AssertionRequestOptions;
import com.microsoft.aad.msal4j.ClientCredentialFactory;
import com.microsoft.aad.msal4j.ClientCredentialParameters;
import com.microsoft.aad.msal4j.ConfidentialClientApplication;
import com.microsoft.aad.msal4j.IAuthenticationResult;
import com.microsoft.aad.msal4j.IClientCredential;
import com.microsoft.aad.msal4j.MsalServiceException;
import java.io.FileInputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import java.util.regex.Pattern;

/** Calls the greeting API as agent identities of a blueprint, and meets the refusals of their users. */
public class Agents {
  static final String API = "api://" + System.getenv("API_APPLICATION_ID") + "/.default";
  static final String EXCHANGE = "api://AzureADTokenExchange/.default";
  static final String AGENT = System.getenv("AGENT");
  static final String SIBLING = System.getenv("SIBLING");

  public static void main(String[] args) throws Exception {
    var secret = ClientCredentialFactory.createFromSecret(System.getenv("BLUEPRINT_SECRET"));
    var certificate =
        ClientCredentialFactory.createFromCertificate(new FileInputStream("blueprint.p12"), "");
    var blueprint = application(System.getenv("BLUEPRINT"), secret);
    var agent = agent(AGENT, blueprint, AGENT);
    var first = token(agent, API, null);
    System.out.println(callHi(first) + " | cached: " + isSame(first, token(agent, API, null)));
    // Its assertion is for the address of the server, and not for the name of Microsoft's.
    var atAddress =
        ConfidentialClientApplication.builder(System.getenv("BLUEPRINT"), certificate)
            .authority(System.getenv("HTTPS_AUTH_URL") + "/" + System.getenv("TENANT_ID"))
            .instanceDiscovery(false)
            .build();
    System.out.println(callHi(token(agent(AGENT, atAddress, AGENT), API, null)));
    var exchanged = token(blueprint, EXCHANGE, AGENT);
    System.out.println(
        "cached: "
            + isSame(exchanged, token(blueprint, EXCHANGE, AGENT))
            + ", shared: "
            + isSame(exchanged, token(blueprint, EXCHANGE, SIBLING)));
    System.out.println(callHi(token(agent(SIBLING, blueprint, SIBLING), API, null)));
    System.out.println(refusal(() -> token(agent(SIBLING, blueprint, AGENT), API, null)));
    System.out.println(refusal(() -> token(blueprint, EXCHANGE, null)));
    System.out.println(refusal(() -> token(blueprint, API, null)));
    System.out.println(callHi(exchanged));
  }

  static ConfidentialClientApplication application(String id, IClientCredential credential)
      throws Exception {
    return ConfidentialClientApplication.builder(id, credential)
        .authority("https://login.microsoftonline.com/" + System.getenv("TENANT_ID"))
        .build();
  }

  /** An agent identity, whose assertion is a token that its blueprint obtains for a path. */
  static ConfidentialClientApplication agent(
      String id, ConfidentialClientApplication blueprint, String fmiPath) throws Exception {
    Function<AssertionRequestOptions, String> assertion =
        options -> token(blueprint, EXCHANGE, fmiPath).accessToken();
    return application(id, ClientCredentialFactory.createFromCallback(assertion));
  }

  static IAuthenticationResult token(
      ConfidentialClientApplication application, String scope, String fmiPath) {
    var parameters = ClientCredentialParameters.builder(Set.of(scope));
    if (fmiPath != null) parameters.fmiPath(fmiPath);
    return application.acquireToken(parameters.build()).join();
  }

  static boolean isSame(IAuthenticationResult some, IAuthenticationResult other) {
    return some.accessToken().equals(other.accessToken());
  }

  static String callHi(IAuthenticationResult token) throws Exception {
    var request =
        HttpRequest.newBuilder(URI.create(System.getenv("HTTPS_BASE_URL") + "/api/v1/hi"))
            .header("authorization", "Bearer " + token.accessToken())
            .build();
    var response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
    return response.statusCode() + " " + response.body();
  }

  static String refusal(Callable<?> request) throws Exception {
    try {
      return "expected a refusal: " + request.call();
    } catch (CompletionException error) {
      if (!(error.getCause() instanceof MsalServiceException refusal)) throw error;
      var code = Pattern.compile("AADSTS\\d+: [^.]+").matcher(refusal.getMessage());
      return refusal.errorCode() + " " + (code.find() ? code.group() : refusal.getMessage());
    }
  }
}
