package dev.outbox.sample.fulfilment;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Planned faults of the simulated courier. */
@Component
final class CourierFaults {

    private static final String PLAN = """
            INSERT INTO fulfilment.courier_faults (order_id, answers_to_lose)
            VALUES (:orderId, :answers)
            ON CONFLICT (order_id) DO UPDATE
               SET answers_to_lose = excluded.answers_to_lose
            """;

    private static final String LOSE_ANSWER = """
            UPDATE fulfilment.courier_faults
               SET answers_to_lose = answers_to_lose - 1
             WHERE order_id = :orderId
               AND answers_to_lose > 0
            """;

    private final JdbcClient jdbc;

    CourierFaults(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** Loses the next answers for an order. */
    void plan(String orderId, int answers) {
        jdbc.sql(PLAN).param("orderId", orderId).param("answers", answers).update();
    }

    /** Returns whether the answer to the current call is lost. */
    boolean loseAnswer(String orderId) {
        return jdbc.sql(LOSE_ANSWER).param("orderId", orderId).update() == 1;
    }
}
