import java.util.regex.Pattern;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.http.HttpHeaders;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.Authentication;
import org.springframework.security.oauth2.client.AuthorizedClientServiceOAuth2AuthorizedClientManager;
import org.springframework.security.oauth2.client.OAuth2AuthorizeRequest;
import org.springframework.security.oauth2.client.OAuth2AuthorizedClientService;
import org.springframework.security.oauth2.client.registration.ClientRegistrationRepository;
import org.springframework.security.oauth2.core.OAuth2AuthorizationException;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.client.RestClient;

/** An API of Spring with one path, and a client that calls this API and the greeting API. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
public class Orders {
  @Bean
  SecurityFilterChain security(HttpSecurity http) throws Exception {
    return http.authorizeHttpRequests(
            requests -> requests.anyRequest().hasAuthority(System.getenv("ROLE")))
        .oauth2ResourceServer(server -> server.jwt(Customizer.withDefaults()))
        .build();
  }

  @RestController
  static class OrdersController {
    @GetMapping("/orders")
    String orders(Authentication caller) {
      return "orders";
    }
  }

  @Bean
  AuthorizedClientServiceOAuth2AuthorizedClientManager clients(
      ClientRegistrationRepository registrations, OAuth2AuthorizedClientService authorized) {
    return new AuthorizedClientServiceOAuth2AuthorizedClientManager(registrations, authorized);
  }

  public static void main(String[] args) {
    try (var context = SpringApplication.run(Orders.class, args)) {
      var manager = context.getBean(AuthorizedClientServiceOAuth2AuthorizedClientManager.class);
      var request =
          OAuth2AuthorizeRequest.withClientRegistrationId("greeting").principal("job").build();
      var token = manager.authorize(request).getAccessToken().getTokenValue();
      var port = context.getBean(Environment.class).getProperty("local.server.port");
      var orders = "http://127.0.0.1:" + port + "/orders";
      System.out.println("API of Spring: " + answer(orders, "Bearer " + token));
      System.out.println("without a token: " + answer(orders, null));
      System.out.println("with a changed token: " + answer(orders, "Bearer " + changed(token)));
      var hi = System.getenv("HTTPS_BASE_URL") + "/api/v1/hi";
      System.out.println("greeting API: " + answer(hi, "Bearer " + token));
    } catch (OAuth2AuthorizationException refusal) {
      var error = refusal.getError();
      var code = Pattern.compile("AADSTS\\d+: [^.]+").matcher(String.valueOf(error.getDescription()));
      System.out.println(error.getErrorCode() + " " + (code.find() ? code.group() : error.getDescription()));
    }
  }

  /** A token whose signature does not match its claims. */
  private static String changed(String token) {
    var parts = token.split("\\.");
    var first = parts[2].charAt(0) == 'A' ? 'B' : 'A';
    return parts[0] + "." + parts[1] + "." + first + parts[2].substring(1);
  }

  private static String answer(String url, String authorization) {
    return RestClient.create()
        .get()
        .uri(url)
        .headers(headers -> { if (authorization != null) headers.set("authorization", authorization); })
        .exchange(
            (request, response) -> {
              var challenge = String.valueOf(response.getHeaders().getFirst(HttpHeaders.WWW_AUTHENTICATE));
              var error = Pattern.compile("error=\"(\\w+)\"").matcher(challenge);
              var body = new String(response.getBody().readAllBytes());
              return response.getStatusCode().value() + " "
                  + (error.find() ? error.group(1) : response.getStatusCode().is2xxSuccessful() ? body : "");
            })
        .strip();
  }
}
