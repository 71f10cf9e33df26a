package dev.outbox.sample.trading;

import dev.outbox.sample.eventbus.InWorker;
import dev.outbox.sample.trading.Exchange.Executions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Reads the executions of open orders from Upbit, which does not report them, until an order is filled or has ended. A fill that is read
 * again changes nothing. After an interrupted run, the next one continues behind the last order, so that every order has its turn.
 */
@InWorker
@Component
@ConditionalOnProperty(name = "trading.exchange", havingValue = "upbit")
final class FillPolling {

    private static final Logger log = LoggerFactory.getLogger(FillPolling.class);

    private static final String OPEN = """
            SELECT a.identifier
              FROM trading.order_attempts a
              JOIN trading.order_intents i ON i.id = a.order_intent_id
             WHERE a.status = 'ACKED'
               AND a.closed_at IS NULL
               AND i.status IN ('ACCEPTED', 'PARTIALLY_FILLED')
               AND a.identifier > :last
             ORDER BY a.identifier
            """;

    private static final String CLOSE = """
            UPDATE trading.order_attempts a
               SET closed_at = now()
              FROM trading.order_intents i
             WHERE i.id = a.order_intent_id
               AND i.status <> 'FILLED'
               AND a.identifier = :identifier
            """;

    private static final String START = "";

    private final JdbcClient jdbc;
    private final Exchange exchange;
    private final Fills fills;

    private String last = START;
    private long pausedUntil = System.nanoTime();

    FillPolling(JdbcClient jdbc, Exchange exchange, Fills fills) {
        this.jdbc = jdbc;
        this.exchange = exchange;
        this.fills = fills;
    }

    @Scheduled(fixedDelayString = "${trading.reconcile-interval}")
    void runOnce() {
        if (System.nanoTime() - pausedUntil < 0) {
            return;
        }
        try {
            for (String identifier :
                    jdbc.sql(OPEN).param("last", last).query(String.class).list()) {
                last = identifier;
                ask(identifier);
            }
            last = START;
        } catch (ExchangeUnreachableException ex) {
            pausedUntil = System.nanoTime() + ex.retryAfter().toNanos();
            log.warn(
                    "Upbit did not return executions; the next run continues with the following order: {}",
                    ex.getMessage());
        }
    }

    private void ask(String identifier) {
        try {
            Executions executions = exchange.executions(identifier);
            executions.fills().forEach(fills::record);
            if (executions.complete()) {
                close(identifier);
            }
        } catch (ExchangeUnreachableException ex) {
            throw ex;
        } catch (RuntimeException ex) {
            log.warn("Cannot read the executions of order {} yet", identifier, ex);
        }
    }

    /** Ends the polling of an order. Its intent keeps its status unless it is filled. */
    private void close(String identifier) {
        if (jdbc.sql(CLOSE).param("identifier", identifier).update() == 1) {
            log.warn("Order {} has ended at Upbit before it was filled; an operator must decide", identifier);
        }
    }
}
