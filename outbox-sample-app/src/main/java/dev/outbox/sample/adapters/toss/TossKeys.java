package dev.outbox.sample.adapters.toss;

import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Billing keys of Toss Payments, beside those of billing. */
final class TossKeys {

    private static final String FIND = """
            SELECT id, auth_key, bank_key, status = 'deleted' AS deleted
              FROM billing.billing_keys
             WHERE id = :id
            """;

    private static final String STORE = """
            UPDATE billing.billing_keys
               SET bank_key = :bankKey, auth_key = NULL
             WHERE id = :id
            """;

    private final JdbcClient jdbc;

    TossKeys(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    Key find(UUID billingKeyId) {
        return jdbc.sql(FIND).param("id", billingKeyId).query(Key.class).single();
    }

    void store(UUID billingKeyId, String bankKey) {
        jdbc.sql(STORE).param("id", billingKeyId).param("bankKey", bankKey).update();
    }

    /** Billing key with the authorization of its user, until it is exchanged for the bank's key. */
    record Key(UUID id, @Nullable String authKey, @Nullable String bankKey, boolean deleted) {

        @Override
        public String toString() {
            return "Key[id=" + id + "]";
        }
    }
}
