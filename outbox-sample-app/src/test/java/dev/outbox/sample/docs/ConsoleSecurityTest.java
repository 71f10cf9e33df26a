package dev.outbox.sample.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.testing.TestDatabase;
import dev.outbox.testing.TestPostgres;
import java.io.IOException;
import java.net.CookieManager;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.security.autoconfigure.SecurityAutoConfiguration;
import org.springframework.boot.security.autoconfigure.web.servlet.ServletWebSecurityAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The console and the endpoint behind Spring Boot's own filter chain, and behind the one of the documentation. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ConsoleSecurityTest {

    private final TestDatabase database = TestPostgres.shared().newDatabase();
    private ConfigurableApplicationContext boots;
    private ConfigurableApplicationContext documented;

    /** Application without rules of its own. */
    @EnableAutoConfiguration
    static class Application {

        @Bean
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(Stream.of("customer", "viewer", "operator", "eraser")
                    .map((role) -> User.withUsername(role)
                            .password("{noop}secret")
                            .roles(role.equals("customer") ? "CUSTOMER" : "OUTBOX_" + role.toUpperCase(Locale.ROOT))
                            .build())
                    .toList());
        }

        @Bean
        Orders orders() {
            return new Orders();
        }
    }

    @RestController
    static class Orders {

        @GetMapping("/orders")
        String orders() {
            return "a book";
        }
    }

    @BeforeAll
    void start() {
        boots = run(Application.class);
        documented = run(Application.class, ConsoleSecurity.class);
    }

    private ConfigurableApplicationContext run(Class<?>... sources) {
        return new SpringApplicationBuilder(sources)
                .run(
                        "--spring.config.location=optional:classpath:/none/",
                        "--server.port=0",
                        "--spring.datasource.url=" + database.jdbcUrl(),
                        "--spring.datasource.username=" + database.username(),
                        "--spring.datasource.password=" + database.password(),
                        "--spring.flyway.enabled=false",
                        "--outbox.console.enabled=true",
                        "--management.endpoints.web.exposure.include=health,outbox",
                        "--management.endpoint.outbox.access=unrestricted");
    }

    @AfterAll
    void stop() {
        boots.close();
        documented.close();
        database.close();
    }

    @ParameterizedTest
    @CsvSource({
        "customer, false, false, false",
        "viewer, true, false, false",
        "operator, true, true, false",
        "eraser, true, false, true"
    })
    void consoleAndEndpointAskForTheSameAuthority(String user, boolean look, boolean command, boolean erase) {
        for (ConfigurableApplicationContext application : List.of(boots, documented)) {
            Client client = new Client(application);
            client.signIn(user);

            assertThat(client.status("/orders")).isEqualTo(200);
            assertThat(client.status("/outbox")).isEqualTo(look ? 200 : 403);
            assertThat(client.status("/actuator/outbox")).isEqualTo(look ? 200 : 403);
            assertThat(client.status("/actuator/outbox/failures")).isEqualTo(look ? 200 : 403);
            for (String one : List.of("pause", "resume", "erase", "expire")) {
                boolean allowed = one.startsWith("e") ? erase : command;
                assertThat(client.mayPost("/outbox/" + one)).as(one).isEqualTo(allowed);
                assertThat(client.mayCommand(one)).as(one).isEqualTo(allowed);
            }
        }
    }

    @Test
    void strangersSeeTheLoginAndTheHealthOnly() {
        for (ConfigurableApplicationContext application : List.of(boots, documented)) {
            Client stranger = new Client(application);

            assertThat(Client.target(stranger.get("/outbox"))).isEqualTo("/login");
            assertThat(stranger.get("/login").body()).contains("default-ui.css");
            assertThat(stranger.status("/default-ui.css")).isEqualTo(200);
            assertThat(stranger.status("/actuator/health")).isEqualTo(200);
            assertThat(stranger.status("/orders")).isEqualTo(401);
            assertThat(stranger.status("/actuator/outbox")).isEqualTo(401);
            assertThat(stranger.mayCommand("pause")).isFalse();
        }
    }

    @Test
    void applicationWithRulesAndTheSecondChainDoesNotStart() {
        new WebApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        SecurityAutoConfiguration.class, ServletWebSecurityAutoConfiguration.class))
                .withUserConfiguration(ConsoleSecurity.class, OwnRules.class)
                .run((context) ->
                        assertThat(context.getStartupFailure()).rootCause().hasMessageContaining("any request"));
    }

    static class OwnRules {

        @Bean
        SecurityFilterChain rules(HttpSecurity http) {
            return http.authorizeHttpRequests(
                            (requests) -> requests.anyRequest().permitAll())
                    .build();
        }
    }

    /** Client with cookies, that does not follow redirects. */
    private static final class Client {

        private static final Pattern TOKEN = Pattern.compile("name=\"_csrf\"[^>]*value=\"([^\"]+)\"");

        private final HttpClient http =
                HttpClient.newBuilder().cookieHandler(new CookieManager()).build();
        private final String address;

        Client(ConfigurableApplicationContext application) {
            address = "http://localhost:" + application.getEnvironment().getProperty("local.server.port");
        }

        void signIn(String user) {
            assertThat(target(form("/login", "username", user, "password", "secret")))
                    .isEqualTo("/");
        }

        /** Returns the path to which an answer leads. */
        static String target(HttpResponse<String> answer) {
            return URI.create(answer.headers().firstValue("Location").orElse("#"))
                    .getPath();
        }

        HttpResponse<String> get(String page) {
            return send(request(page).header("Accept", page.startsWith("/outbox") ? "text/html" : "*/*"));
        }

        int status(String page) {
            return get(page).statusCode();
        }

        boolean mayPost(String page) {
            return form(page, "subject", "handler", "name", "none", "type", "Order", "id", "42", "reason", "a test")
                            .statusCode()
                    != 403;
        }

        boolean mayCommand(String command) {
            return !Set.of(401, 403)
                    .contains(send(request("/actuator/outbox/" + command)
                                    .header("X-CSRF-TOKEN", token())
                                    .header("Content-Type", "application/json")
                                    .POST(BodyPublishers.ofString("{\"handler\": \"none\", \"reason\": \"a test\"}")))
                            .statusCode());
        }

        private HttpResponse<String> form(String page, String... fields) {
            Map<String, String> values = new LinkedHashMap<>(Map.of("_csrf", token()));
            for (int i = 0; i < fields.length; i += 2) {
                values.put(fields[i], fields[i + 1]);
            }
            return send(request(page)
                    .header("Sec-Fetch-Site", "same-origin")
                    .header("Content-Type", "application/x-www-form-urlencoded")
                    .POST(BodyPublishers.ofString(values.entrySet().stream()
                            .map((field) ->
                                    field.getKey() + "=" + URLEncoder.encode(field.getValue(), StandardCharsets.UTF_8))
                            .collect(Collectors.joining("&")))));
        }

        private String token() {
            Matcher token = TOKEN.matcher(get("/login").body());
            assertThat(token.find()).isTrue();
            return token.group(1);
        }

        private HttpRequest.Builder request(String page) {
            return HttpRequest.newBuilder(URI.create(address + page));
        }

        private HttpResponse<String> send(HttpRequest.Builder request) {
            try {
                return http.send(request.build(), BodyHandlers.ofString());
            } catch (IOException | InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
