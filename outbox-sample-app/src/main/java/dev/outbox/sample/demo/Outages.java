package dev.outbox.sample.demo;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Tells the simulated gateways whether they are down, in every process. */
@Component
public class Outages {

    private static final String IS_DOWN = """
            SELECT down
              FROM demo.gateways
             WHERE name = :name
            """;

    private final JdbcClient jdbc;
    private final boolean enabled;

    Outages(JdbcClient jdbc, @Value("${demo.enabled}") boolean enabled) {
        this.jdbc = jdbc;
        this.enabled = enabled;
    }

    /** Whether a gateway is simulated as unreachable. */
    public boolean isDown(String gateway) {
        return enabled
                && jdbc.sql(IS_DOWN).param("name", gateway).query(Boolean.class).single();
    }
}
