import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.annotation.Bean;
import org.springframework.context.event.EventListener;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.oauth2.server.resource.authentication.JwtAuthenticationConverter;
import org.springframework.security.oauth2.server.resource.authentication.JwtGrantedAuthoritiesConverter;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** An API that Spring Security protects, as its reference shows. The argument is the required role. */
@SpringBootConfiguration
@EnableAutoConfiguration
@RestController
public class OrdersApi {
  private static String role;

  public static void main(String[] args) {
    role = args[0];
    SpringApplication.run(OrdersApi.class);
  }

  @Bean
  SecurityFilterChain filters(HttpSecurity http) throws Exception {
    return http.authorizeHttpRequests(requests -> requests.anyRequest().hasRole(role))
        .oauth2ResourceServer(server -> server.jwt(jwt -> jwt.jwtAuthenticationConverter(rolesOfEntra())))
        .build();
  }

  private static JwtAuthenticationConverter rolesOfEntra() {
    var roles = new JwtGrantedAuthoritiesConverter();
    roles.setAuthoritiesClaimName("roles");
    roles.setAuthorityPrefix("ROLE_");
    var converter = new JwtAuthenticationConverter();
    converter.setJwtGrantedAuthoritiesConverter(roles);
    return converter;
  }

  @GetMapping("/")
  String orders() {
    return "orders";
  }

  @EventListener
  void ready(WebServerInitializedEvent event) {
    System.out.println("port " + event.getWebServer().getPort());
  }
}
