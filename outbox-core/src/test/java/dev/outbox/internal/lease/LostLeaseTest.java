package dev.outbox.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.HandlerInterceptor;
import dev.outbox.PayloadFormat;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.dispatch.DecoratedHandlers;
import dev.outbox.internal.dispatch.DispatchSettings;
import dev.outbox.internal.dispatch.Dispatcher;
import dev.outbox.internal.dispatch.Dispatcher.BlockedLanes;
import dev.outbox.internal.dispatch.Dispatcher.ClaimedEvent;
import dev.outbox.internal.dispatch.Dispatcher.DispatchedEvent;
import dev.outbox.internal.dispatch.FailureObserver;
import dev.outbox.internal.dispatch.RunningHandlers;
import dev.outbox.internal.payload.PayloadReader;
import dev.outbox.internal.publish.TransactionPhase;
import dev.outbox.internal.registry.HandlerRegistry;
import dev.outbox.internal.sql.BoundConnection;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.listener.OutboxListener;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;

class LostLeaseTest {

    private static final Duration LIFE = Duration.ofMinutes(1);

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final List<String> invoked = new ArrayList<>();
    private final List<HandlerInterceptor> interceptors = new ArrayList<>();
    private boolean held = true;
    private static Runnable suspension = () -> {};
    private long nanos;
    private final LeaseRenewer keeper =
            new LeaseRenewer(LIFE, new SimpleDriverDataSource(), () -> new Moment(nanos, 0));

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void nextHandlerStartsOnlyIfTheLeaseIsHeld(boolean heldAfterwards) {
        Dispatcher dispatcher = dispatcher(
                handler("first", () -> {
                    nanos += Duration.ofSeconds(1).toNanos();
                    held = heldAfterwards;
                }),
                handler("second", () -> {}));

        List<DispatchedEvent> outcome =
                dispatcher.dispatch(List.of(event()), new BlockedLanes(), new LeaseGuard(lease(), () -> false));
        assertThat(invoked).isEqualTo(heldAfterwards ? List.of("first", "second") : List.of("first"));
        assertThat(outcome).hasSize(heldAfterwards ? 1 : 0).allMatch(DispatchedEvent::succeeded);
    }

    @Test
    void handlerDoesNotStartAfterASuspensionThatOutlastsTheLease() {
        suspension = () -> {
            nanos += LIFE.plusMillis(1).toNanos();
            held = false;
        };
        Dispatcher dispatcher = dispatcher(HandlerDefinition.of(
                "first", Set.of("OrderPlaced"), Decoded.class, (payload, envelope) -> invoked.add("first")));

        List<DispatchedEvent> outcome =
                dispatcher.dispatch(List.of(event()), new BlockedLanes(), new LeaseGuard(lease(), () -> false));
        assertThat(invoked).isEmpty();
        assertThat(outcome).isEmpty();
    }

    /** A transaction begins when the pool has a connection, for example. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void handlerDoesNotStartIfWhatEnclosesItHasWaited(boolean swallows) {
        interceptors.add((call, chain) -> {
            nanos += Duration.ofSeconds(1).toNanos();
            held = false;
            try {
                chain.proceed();
            } catch (Exception ex) {
                if (!swallows) {
                    throw ex;
                }
            }
        });
        Dispatcher dispatcher = dispatcher(handler("first", () -> {}));

        List<DispatchedEvent> outcome =
                dispatcher.dispatch(List.of(event()), new BlockedLanes(), new LeaseGuard(lease(), () -> false));
        assertThat(invoked).isEmpty();
        assertThat(outcome).isEmpty();
    }

    /** Payload whose decoding stands still for a while. */
    private record Decoded() {

        Decoded {
            suspension.run();
        }
    }

    private Lease lease() {
        return keeper.keep(
                new Lease.Claimed() {
                    @Override
                    public long id() {
                        return 1;
                    }

                    @Override
                    public boolean renew() {
                        return held;
                    }

                    @Override
                    public boolean confirm() {
                        return held;
                    }

                    @Override
                    public boolean confirmIn(BoundConnection transaction) {
                        return held;
                    }

                    @Override
                    public void release() {}
                },
                LIFE,
                keeper.now());
    }

    private HandlerDefinition handler(String id, Runnable work) {
        return HandlerDefinition.of(id, Set.of("*"), (envelope) -> {
            invoked.add(id);
            work.run();
        });
    }

    private Dispatcher dispatcher(HandlerDefinition... handlers) {
        DecoratedHandlers decorated = new DecoratedHandlers(
                DispatchSettings.defaults(),
                outbox.dataSource(),
                OutboxSchema.DEFAULT,
                new TransactionPhase(),
                Optional::empty,
                interceptors::stream,
                OutboxListener.NONE);
        HandlerRegistry registry = new HandlerRegistry(
                () -> decorated.of(
                        List.of(handlers),
                        new RunningHandlers(Map.of(), DispatchSettings.defaults(), System::nanoTime)),
                outbox.dataSource(),
                OutboxSchema.DEFAULT);
        return new Dispatcher(
                registry,
                new PayloadReader(PayloadFormat.mapper(), List.of()),
                DispatchSettings.defaults(),
                OutboxListener.NONE,
                Clock.systemUTC(),
                System::nanoTime,
                new Random(),
                FailureObserver.NONE);
    }

    private static ClaimedEvent event() {
        EventEnvelope envelope = new EventEnvelope(
                1, new UUID(0, 1), "default", "order", "1", 1, "OrderPlaced", 1, "{}", Map.of(), Instant.EPOCH, false);
        return new ClaimedEvent(envelope, 0, Set.of());
    }
}
