package dev.outbox.sample.trading;

import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** Reads the executions of open orders from Upbit, which does not report them. A fill that is read again changes nothing. */
@Component
@ConditionalOnProperty(name = "trading.exchange", havingValue = "upbit")
final class FillPolling {

    private static final Logger log = LoggerFactory.getLogger(FillPolling.class);

    private static final String OPEN = """
            SELECT a.identifier
              FROM trading.order_attempts a
              JOIN trading.order_intents i ON i.id = a.order_intent_id
             WHERE a.status = 'ACKED'
               AND i.status IN ('ACCEPTED', 'PARTIALLY_FILLED')
             ORDER BY a.changed_at
            """;

    private final JdbcClient jdbc;
    private final Exchange exchange;
    private final Fills fills;

    FillPolling(JdbcClient jdbc, Exchange exchange, Fills fills) {
        this.jdbc = jdbc;
        this.exchange = exchange;
        this.fills = fills;
    }

    @Scheduled(fixedDelayString = "${trading.reconcile-interval}")
    void runOnce() {
        List<String> open = jdbc.sql(OPEN).query(String.class).list();
        for (String identifier : open) {
            try {
                exchange.fills(identifier).forEach(fills::record);
            } catch (ExchangeUnreachableException ex) {
                log.warn("Upbit cannot be asked for executions; the next run asks again: {}", ex.getMessage());
                return;
            } catch (RuntimeException ex) {
                log.warn("Cannot read the executions of order {} yet", identifier, ex);
            }
        }
    }
}
