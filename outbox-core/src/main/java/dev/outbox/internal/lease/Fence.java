package dev.outbox.internal.lease;

import dev.outbox.internal.sql.NamedSql;
import java.sql.SQLException;
import java.util.UUID;

/** Fencing token of a claim, and the incarnation of the database in which it was made. The first claim after a crash begins a new one. */
public record Fence(UUID token, UUID incarnation) {

    /** Condition that the incarnation of a {@linkplain #bind bound} fence lasts. */
    public static final String LASTS =
            "EXISTS (SELECT FROM {schema}.outbox_incarnation i WHERE i.token = :incarnation)";

    /** Sets the parameters of fenced statements. */
    public NamedSql.Parameters bind(NamedSql.Parameters parameters) throws SQLException {
        return parameters.set("token", token).set("incarnation", incarnation);
    }
}
