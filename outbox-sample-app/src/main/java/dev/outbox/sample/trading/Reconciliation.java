package dev.outbox.sample.trading;

import dev.outbox.sample.eventbus.InWorker;
import dev.outbox.sample.eventbus.Message;
import java.time.OffsetDateTime;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Resolves open attempts. It looks unknown ones up at the exchange, and marks those as unknown whose answer was never stored. After a throttled
 * one, it opens another attempt until the permitted attempts are exhausted. Several instances can run it at the same time, because each step
 * happens once.
 */
@InWorker
@Component
final class Reconciliation {

    private static final Logger log = LoggerFactory.getLogger(Reconciliation.class);

    // Much longer than a delivery takes. A sender that is still waiting corrects the status with its answer.
    private static final String ABANDONED = """
            SELECT id
              FROM trading.order_attempts
             WHERE status = 'REQUESTED'
               AND changed_at < now() - interval '5 minutes'
             ORDER BY changed_at
             LIMIT 100
            """;

    private static final String UNKNOWN = """
            SELECT id
              FROM trading.order_attempts
             WHERE status = 'UNKNOWN'
             ORDER BY changed_at
            """;

    private static final String SETTLED_MARK = """
            SELECT changed_at
              FROM trading.order_attempts
             WHERE id = :id
               AND status = 'UNKNOWN'
               AND changed_at < now() - make_interval(secs => :seconds)
            """;

    private static final String THROTTLED = """
            SELECT id
              FROM trading.order_attempts
             WHERE status = 'THROTTLED'
               AND (retry_at <= now() OR (retry_at IS NOT NULL AND attempt_no >= :maxAttempts))
             ORDER BY retry_at
             LIMIT 100
            """;

    private final JdbcClient jdbc;
    private final OrderAttempts attempts;
    private final Exchange exchange;
    private final Conclusions conclusions;
    private final TradingSettings settings;

    Reconciliation(
            JdbcClient jdbc,
            OrderAttempts attempts,
            Exchange exchange,
            Conclusions conclusions,
            TradingSettings settings) {
        this.jdbc = jdbc;
        this.attempts = attempts;
        this.exchange = exchange;
        this.conclusions = conclusions;
        this.settings = settings;
    }

    @Scheduled(initialDelayString = "${trading.reconcile-interval}", fixedDelayString = "${trading.reconcile-interval}")
    void runOnce() {
        each(jdbc.sql(ABANDONED), (attempt) -> conclusions.unknown(attempt, "no answer was stored"));
        each(jdbc.sql(THROTTLED).param("maxAttempts", settings.maxAttempts()), this::goOn);
        try {
            each(jdbc.sql(UNKNOWN), this::ask);
        } catch (ExchangeUnreachableException ex) {
            log.warn(
                    "The exchange cannot be reached; the next run asks for the unknown orders again: {}",
                    ex.getMessage());
        }
    }

    /** Takes each step for the attempts as they are now. A step that fails does not keep later ones from their turn. */
    private void each(JdbcClient.StatementSpec found, Consumer<OrderAttempt> step) {
        found.query(UUID.class).list().forEach((id) -> reconcile(id, step));
    }

    private void reconcile(UUID id, Consumer<OrderAttempt> step) {
        try {
            attempts.find(id).ifPresent((attempt) -> inTraceOf(attempt, step));
        } catch (ExchangeUnreachableException ex) {
            throw ex;
        } catch (RuntimeException ex) {
            log.warn("Cannot reconcile order attempt {} yet", id, ex);
        }
    }

    /** Runs in the trace of the signal. */
    private static void inTraceOf(OrderAttempt attempt, Consumer<OrderAttempt> step) {
        MDC.put(Message.TRACE_ID, attempt.traceId());
        try {
            step.accept(attempt);
        } finally {
            MDC.remove(Message.TRACE_ID);
        }
    }

    private void goOn(OrderAttempt throttled) {
        if (throttled.attemptNo() < settings.maxAttempts()) {
            conclusions.followUp(throttled);
        } else {
            conclusions.exhausted(throttled);
        }
    }

    private void ask(OrderAttempt attempt) {
        // A request can arrive during the lookup unless the settle time has ended before.
        Optional<OffsetDateTime> settled = settledMark(attempt);
        Optional<String> placed = exchange.find(attempt.identifier());
        if (placed.isPresent()) {
            conclusions.acked(attempt, placed.get());
        } else {
            settled.ifPresent((markedAt) -> conclusions.neverArrived(attempt, markedAt));
        }
    }

    /** Returns when the attempt was marked as unknown, if the request can no longer arrive. */
    private Optional<OffsetDateTime> settledMark(OrderAttempt attempt) {
        return jdbc.sql(SETTLED_MARK)
                .param("id", attempt.id())
                .param("seconds", settings.settleTime().toMillis() / 1000.0)
                .query(OffsetDateTime.class)
                .optional();
    }
}
