package dev.outbox.sample.fulfilment;

import dev.outbox.sample.demo.Outages;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Courier that books parcels and may lose its answers. */
@Component
final class SimulatedCourier implements Courier {

    private static final String BOOK = """
            INSERT INTO fulfilment.parcels (key, order_id)
            VALUES (:key, :orderId)
            ON CONFLICT (key) DO UPDATE
               SET requests = parcels.requests + 1
            """;

    private static final String LOSE_ANSWER = """
            UPDATE fulfilment.courier_faults
               SET answers_to_lose = answers_to_lose - 1
             WHERE order_id = :orderId
               AND answers_to_lose > 0
            """;

    private static final String PLAN_FAULT = """
            INSERT INTO fulfilment.courier_faults (order_id, answers_to_lose)
            VALUES (:orderId, :answers)
            ON CONFLICT (order_id) DO UPDATE
               SET answers_to_lose = excluded.answers_to_lose
            """;

    private final JdbcClient jdbc;
    private final Outages outages;

    SimulatedCourier(JdbcClient jdbc, Outages outages) {
        this.jdbc = jdbc;
        this.outages = outages;
    }

    @Override
    public void book(UUID key, String orderId) {
        if (outages.isDown("courier")) {
            throw new CourierUnreachableException();
        }
        jdbc.sql(BOOK).param("key", key).param("orderId", orderId).update();
        if (jdbc.sql(LOSE_ANSWER).param("orderId", orderId).update() == 1) {
            throw new CourierTimeoutException(orderId);
        }
    }

    /** Loses the next answers for an order. */
    void loseAnswers(String orderId, int answers) {
        jdbc.sql(PLAN_FAULT).param("orderId", orderId).param("answers", answers).update();
    }
}
