package dev.outbox.sample.web;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Login of the operator.
 *
 * @param user Name of the operator, which the operation log records.
 * @param password Password of the operator. Without one, operations are open to every client that reaches the port.
 */
@ConfigurationProperties("sample.security")
record LoginSettings(
        @DefaultValue("operator") String user, @Nullable String password) {

    LoginSettings {
        if (user.isBlank()) {
            throw new IllegalArgumentException("sample.security.user must not be blank");
        }
        if (password != null && password.isBlank()) {
            throw new IllegalArgumentException(
                    "sample.security.password must not be blank; omit it to open the operations");
        }
    }

    /** Hides the password. */
    @Override
    public String toString() {
        return "LoginSettings[user=" + user + "]";
    }
}
