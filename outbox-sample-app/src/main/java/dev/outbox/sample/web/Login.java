package dev.outbox.sample.web;

import jakarta.servlet.http.HttpServletRequest;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.core.env.Profiles;
import org.springframework.security.authorization.AuthorizationDecision;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configurers.AbstractHttpConfigurer;
import org.springframework.security.config.http.SessionCreationPolicy;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.crypto.factory.PasswordEncoderFactories;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/**
 * HTTP basic login for operations, the console, the demo, settings, events, audit log, the messages and devices of users,
 * and the intake of Discord's events, if a password is configured. Without one, they answer at localhost only. Everything else is open.
 */
@Configuration(proxyBeanMethods = false)
class Login {

    private static final Logger log = LoggerFactory.getLogger(Login.class);

    private static final String[] OPERATIONS = {
        "/demo/**",
        "/outbox/**",
        "/actuator/outbox/**",
        "/settings/**",
        "/events/**",
        "/audit/**",
        "/inbox/**",
        "/notifications/**",
        "/devices/**",
        "/discord/**"
    };

    private static final Pattern LOCAL = Pattern.compile("(localhost|127\\.0\\.0\\.1|\\[::1])(:\\d+)?");

    private final LoginSettings settings;

    Login(LoginSettings settings) {
        this.settings = settings;
    }

    /** Keeps no session. Needs no CSRF tokens, because browsers mark the requests of foreign pages, which are refused. */
    @Bean
    SecurityFilterChain securityFilterChain(HttpSecurity http, Environment environment) {
        http.csrf(AbstractHttpConfigurer::disable)
                .logout(AbstractHttpConfigurer::disable)
                .requestCache(AbstractHttpConfigurer::disable)
                .sessionManagement((session) -> session.sessionCreationPolicy(SessionCreationPolicy.STATELESS));
        boolean login = settings.password() != null;
        if (login) {
            http.httpBasic(Customizer.withDefaults());
        } else if (environment.acceptsProfiles(Profiles.of("!worker"))) {
            log.warn(
                    "Operations are open to every client that reaches the port; set sample.security.password to require a login");
        }
        return http.authorizeHttpRequests((requests) -> {
                    requests.requestMatchers(Login::isOfForeignPage).denyAll();
                    if (login) {
                        requests.requestMatchers(OPERATIONS).authenticated();
                    } else {
                        requests.requestMatchers(OPERATIONS)
                                .access((user, context) -> new AuthorizationDecision(isLocal(context.getRequest())));
                    }
                    requests.anyRequest().permitAll();
                })
                .build();
    }

    /** A page of another site could otherwise use the operations through a name of its own that it lets mean this machine. */
    private static boolean isLocal(HttpServletRequest request) {
        String host = request.getHeader("Host");
        return host != null && LOCAL.matcher(host).matches();
    }

    private static boolean isOfForeignPage(HttpServletRequest request) {
        return "cross-site".equals(request.getHeader("Sec-Fetch-Site"))
                && !request.getMethod().equals("GET");
    }

    /** Exists without a password too: otherwise Spring Boot generates a user and logs its password. */
    @Bean
    UserDetailsService operators() {
        InMemoryUserDetailsManager operators = new InMemoryUserDetailsManager();
        if (settings.password() != null) {
            operators.createUser(User.withUsername(settings.user())
                    .password(PasswordEncoderFactories.createDelegatingPasswordEncoder()
                            .encode(settings.password()))
                    .roles("OUTBOX_OPERATOR", "OUTBOX_ERASER")
                    .build());
        }
        return operators;
    }
}
