package dev.outbox.console.internal.web;

import org.springframework.security.core.Authentication;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.web.servlet.function.ServerRequest;

/**
 * Who may use the console, by the authorities that Spring Security gives to users.
 *
 * @param operator the authority of those who may look and change
 * @param viewer the authority of those who may look only
 */
public record Access(String operator, String viewer) {

    boolean mayChange(ServerRequest request) {
        return has(request, operator);
    }

    boolean mayLook(ServerRequest request) {
        return mayChange(request) || has(request, viewer);
    }

    private static boolean has(ServerRequest request, String authority) {
        return request.principal().orElse(null) instanceof Authentication user
                && user.getAuthorities().stream()
                        .map(GrantedAuthority::getAuthority)
                        .anyMatch(authority::equals);
    }
}
