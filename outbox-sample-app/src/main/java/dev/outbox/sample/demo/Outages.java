package dev.outbox.sample.demo;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Tells the simulated gateways what they do wrong, in every process. */
@Component
public class Outages {

    private static final String FAULT = """
            SELECT fault
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
        return of(gateway) == Outage.DOWN;
    }

    /** Returns the outage of a gateway. */
    public Outage of(String gateway) {
        return enabled
                ? jdbc.sql(FAULT).param("name", gateway).query(Outage.class).single()
                : Outage.NONE;
    }
}
