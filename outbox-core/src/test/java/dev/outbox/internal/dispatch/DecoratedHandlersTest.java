package dev.outbox.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.outbox.EventContext;
import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.HandlerInterceptor;
import dev.outbox.internal.dispatch.DispatchSettings.HandlerSettings;
import dev.outbox.internal.dispatch.DispatchSettings.RetryPolicies;
import dev.outbox.internal.dispatch.RetryPolicy.Backoff;
import dev.outbox.internal.publish.TransactionPhase;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.listener.OutboxListener;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.ds.PGSimpleDataSource;

/** The timeout of a handler is that of the handler alone; a hanging interceptor is stuck after a lease. */
class DecoratedHandlersTest {

    private static final EventEnvelope EVENT = new EventEnvelope(
            1, new UUID(0, 1), "default", "order", "1", 1, "OrderPlaced", 1, "{}", Map.of(), Instant.EPOCH, false);
    private static final DispatchSettings FIVE_SECONDS = new DispatchSettings(
            DispatchSettings.defaults().retry(),
            Map.of("mail", new HandlerSettings(Duration.ofSeconds(5), null, null)));

    private final AtomicLong nanos = new AtomicLong();
    private final AtomicInteger stuck = new AtomicInteger();
    private final RunningHandlers running =
            new RunningHandlers(Map.of("default", Duration.ofSeconds(60)), FIVE_SECONDS, nanos::get);

    @ParameterizedTest
    @CsvSource({"4, 3, 0", "0, 7, 1", "58, 3, 1"})
    void interceptorIsNotPartOfTimeout(int inInterceptor, int inHandler, int expected) throws Exception {
        HandlerInterceptor waiting = (call, chain) -> {
            pass(inInterceptor);
            chain.proceed();
        };
        HandlerDefinition mail = HandlerDefinition.of("mail", Set.of("*"), (event) -> {
            pass(inHandler);
            stuck.set(running.stuck().size());
        });

        decorated(mail, waiting).handle(EVENT, EVENT, new FirstAttempt());

        assertThat(stuck).hasValue(expected);
    }

    @Test
    void configuredTimeoutComesBeforeTheHandlersOwnAndThatBeforeTheDefault() {
        DispatchSettings settings =
                new DispatchSettings(FIVE_SECONDS.retry(), FIVE_SECONDS.handlers(), Duration.ofSeconds(9));
        Duration own = Duration.ofSeconds(7);

        assertThat(settings.timeoutOf(handler("mail").timeout(own))).isEqualTo(Duration.ofSeconds(5));
        assertThat(settings.timeoutOf(handler("push").timeout(own))).isEqualTo(own);
        assertThat(settings.timeoutOf(handler("push"))).isEqualTo(Duration.ofSeconds(9));
        assertThat(FIVE_SECONDS.timeoutOf(handler("push"))).isNull();
    }

    @Test
    void configuredAttemptsComeBeforeTheHandlersOwnAndThoseBeforeTheStreams() {
        RetryPolicy four = new RetryPolicy(new Backoff.Delays(List.of(Duration.ofMinutes(1))), 4);
        DispatchSettings settings =
                new DispatchSettings(RetryPolicies.of(four), Map.of("mail", new HandlerSettings(null, null, 4)));

        assertThat(settings.policyOf("default", handler("mail").maxAttempts(2))).isEqualTo(four);
        assertThat(settings.policyOf("default", handler("push").maxAttempts(2)))
                .isEqualTo(new RetryPolicy(four.backoff(), 2));
        assertThat(settings.policyOf("default", handler("push"))).isEqualTo(four);
    }

    @Test
    void limitsOfAHandlerAreChecked() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> handler("mail").timeout(Duration.ZERO))
                .withMessage("timeout must be positive: PT0S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> handler("mail").maxAttempts(0))
                .withMessage("maxAttempts must be at least 1: 0");
    }

    private static HandlerDefinition handler(String id) {
        return HandlerDefinition.of(id, Set.of("*"), (event) -> {});
    }

    private void pass(int seconds) {
        nanos.addAndGet(Duration.ofSeconds(seconds).toNanos());
    }

    private HandlerDefinition decorated(HandlerDefinition handler, HandlerInterceptor interceptor) {
        return new DecoratedHandlers(
                        FIVE_SECONDS,
                        new PGSimpleDataSource(),
                        OutboxSchema.DEFAULT,
                        new TransactionPhase(),
                        Optional::empty,
                        () -> Stream.of(interceptor),
                        OutboxListener.NONE)
                .of(List.of(handler), running)
                .get(0);
    }

    /** An attempt that nothing ends. */
    private record FirstAttempt() implements EventContext {

        @Override
        public int attempt() {
            return 1;
        }

        @Override
        public boolean isLeaseLost() {
            return false;
        }
    }
}
