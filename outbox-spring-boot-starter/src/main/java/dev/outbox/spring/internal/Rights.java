package dev.outbox.spring.internal;

import java.security.Principal;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.GrantedAuthority;
import org.springframework.util.ClassUtils;

/**
 * Who may do what in the console and at the endpoint, by the authorities that Spring Security gives to users.
 *
 * @param viewer the authority to view
 * @param operator the authority to view and run commands
 * @param eraser the authority to view, erase events and expire handlers
 */
public record Rights(String viewer, String operator, String eraser) {

    private static final boolean WITH_SECURITY =
            ClassUtils.isPresent("org.springframework.security.core.Authentication", Rights.class.getClassLoader());

    /** What a request needs. */
    public enum Right {
        /** To look, which each of the authorities gives. */
        LOOK,
        /** To erase events, and to expire handlers and subscriptions. */
        ERASE,
        /** To give any other command. */
        COMMAND
    }

    /** Returns whether a user has one of them. */
    public boolean allow(Right right, @Nullable Principal user) {
        return WITH_SECURITY && OfSecurity.hasAny(user, authorities(right));
    }

    /** Explains to a user without a right which authority is missing. */
    public String refusal(Right right, String user) {
        return user + " lacks the authority " + String.join(" or ", authorities(right))
                + ". The properties outbox.authorities name others.";
    }

    private List<String> authorities(Right right) {
        return switch (right) {
            case LOOK -> List.of(viewer, operator, eraser);
            case ERASE -> List.of(eraser);
            case COMMAND -> List.of(operator);
        };
    }

    /** Loaded only with Spring Security. */
    private static final class OfSecurity {

        static boolean hasAny(@Nullable Principal user, List<String> authorities) {
            return user instanceof Authentication authenticated
                    && authenticated.getAuthorities().stream()
                            .map(GrantedAuthority::getAuthority)
                            .anyMatch(authorities::contains);
        }
    }
}
