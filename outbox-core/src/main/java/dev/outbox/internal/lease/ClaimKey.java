package dev.outbox.internal.lease;

import dev.outbox.internal.sql.NamedSql;
import java.sql.SQLException;
import java.util.UUID;

/** Identifies a claim by its row, and by the random token that fences what its worker writes. */
public record ClaimKey(long id, UUID token) {

    /** Condition that the claim {@code c} is the {@linkplain #bind bound} one, and was made in the present incarnation of the database. */
    public static final String HELD = """
            c.id = :claim
               AND c.token = :token
               AND c.incarnation = (SELECT i.token FROM {schema}.outbox_incarnation i)""";

    /** Relies on outbox_claim_pk. Locks the claim of a settlement, before any other row. */
    public static final String LOCK = "SELECT c.id FROM {schema}.outbox_claim c WHERE " + HELD + " FOR UPDATE";

    /** Sets the parameters of fenced statements. */
    public NamedSql.Parameters bind(NamedSql.Parameters parameters) throws SQLException {
        return parameters.set("claim", id).set("token", token);
    }
}
