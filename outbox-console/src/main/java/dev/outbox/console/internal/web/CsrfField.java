package dev.outbox.console.internal.web;

import org.jspecify.annotations.Nullable;
import org.springframework.security.web.csrf.CsrfToken;
import org.springframework.util.ClassUtils;
import org.springframework.web.servlet.function.ServerRequest;

/**
 * Hidden field with Spring Security's token.
 *
 * @param name the name of the field
 * @param value the token
 */
public record CsrfField(String name, String value) {

    private static final boolean WITH_SECURITY =
            ClassUtils.isPresent("org.springframework.security.web.csrf.CsrfToken", CsrfField.class.getClassLoader());

    static @Nullable CsrfField of(ServerRequest request) {
        return WITH_SECURITY ? FromSecurity.field(request) : null;
    }

    /** Loaded only with Spring Security. */
    private static final class FromSecurity {

        static @Nullable CsrfField field(ServerRequest request) {
            return request.servletRequest().getAttribute(CsrfToken.class.getName()) instanceof CsrfToken token
                    ? new CsrfField(token.getParameterName(), token.getToken())
                    : null;
        }
    }
}
