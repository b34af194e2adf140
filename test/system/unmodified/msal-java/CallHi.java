import com.microsoft.aad.msal4j.ClientCredentialFactory;
import com.microsoft.aad.msal4j.ClientCredentialParameters;
import com.microsoft.aad.msal4j.ConfidentialClientApplication;
import com.microsoft.aad.msal4j.MsalServiceException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.regex.Pattern;

/** Calls the greeting API with a token of MSAL. The arguments are the client and the scope; CLIENT_SECRET has the secret. */
public class CallHi {
  public static void main(String[] args) throws Exception {
    var secret = ClientCredentialFactory.createFromSecret(System.getenv("CLIENT_SECRET"));
    var application =
        ConfidentialClientApplication.builder(args[0], secret)
            .authority(System.getenv("HTTPS_AUTH_URL") + "/" + System.getenv("TENANT_ID"))
            .instanceDiscovery(false)
            .build();
    try {
      var token =
          application.acquireToken(ClientCredentialParameters.builder(Set.of(args[1])).build()).get();
      var request =
          HttpRequest.newBuilder(URI.create(System.getenv("HTTPS_BASE_URL") + "/api/v1/hi"))
              .header("authorization", "Bearer " + token.accessToken())
              .build();
      var response = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofString());
      System.out.println(response.statusCode() + " " + response.body());
    } catch (ExecutionException error) {
      if (!(error.getCause() instanceof MsalServiceException refusal)) throw error;
      var code = Pattern.compile("AADSTS\\d+: [^.]+").matcher(refusal.getMessage());
      System.out.println(refusal.errorCode() + " " + (code.find() ? code.group() : refusal.getMessage()));
    }
  }
}
