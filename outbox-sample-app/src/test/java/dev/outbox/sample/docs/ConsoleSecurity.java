package dev.outbox.sample.docs;

import org.springframework.context.annotation.Bean;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.web.SecurityFilterChain;

/** Access to the console. */
class ConsoleSecurity {

    @Bean
    SecurityFilterChain console(HttpSecurity http) {
        return http.securityMatcher("/outbox/**", "/login", "/logout")
                .authorizeHttpRequests((requests) -> requests.requestMatchers("/outbox/**")
                        .authenticated()
                        .anyRequest()
                        .permitAll())
                .formLogin(Customizer.withDefaults())
                .build();
    }
}
