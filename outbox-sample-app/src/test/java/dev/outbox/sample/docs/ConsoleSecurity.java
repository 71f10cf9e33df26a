package dev.outbox.sample.docs;

import org.springframework.context.annotation.Bean;
import org.springframework.core.annotation.Order;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;

/** Access to the console, and to the rest of an application without rules of its own. */
class ConsoleSecurity {

    @Bean
    @Order(1)
    SecurityFilterChain console(HttpSecurity http) {
        return http.securityMatcher("/outbox/**", "/login", "/logout", "/default-ui.css")
                .authorizeHttpRequests((requests) -> requests.requestMatchers("/outbox/**")
                        .authenticated()
                        .anyRequest()
                        .permitAll())
                .formLogin(Customizer.withDefaults())
                .build();
    }

    @Bean
    SecurityFilterChain everythingElse(HttpSecurity http) {
        return http.authorizeHttpRequests((requests) -> requests.requestMatchers("/actuator/health/**")
                        .permitAll()
                        .anyRequest()
                        .authenticated())
                .formLogin(Customizer.withDefaults())
                .httpBasic(Customizer.withDefaults())
                .build();
    }
}
