package dev.outbox.internal.dispatch;

import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import dev.outbox.BatchOutcome;
import dev.outbox.EventEnvelope;
import dev.outbox.EventType;
import dev.outbox.EventUpcaster;
import dev.outbox.HandlerDefinition;
import dev.outbox.OutboxEvent;
import dev.outbox.fixture.Poison;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.metrics.OutboxMeters;
import dev.outbox.internal.poll.PollerSettings;
import dev.outbox.internal.runtime.OutboxDependencies.Extensions;
import dev.outbox.listener.OutboxListener;
import dev.outbox.testing.Guarantee;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.config.MeterFilterReply;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.DeserializationContext;
import tools.jackson.databind.ValueDeserializer;
import tools.jackson.databind.annotation.JsonDeserialize;

/** Code of the application that throws what it can: no event but its own is affected. */
@Tag("full")
class HostileCallbacksTest {

    /** As in {@link TestOutbox#AT_ONCE}. */
    private static final int MOST_ATTEMPTS = 3;

    private static final int HEALTHY = 5;
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private static final Map<String, AtomicInteger> ATTEMPTS = new ConcurrentHashMap<>();

    @RegisterExtension
    private final TestOutbox outbox =
            TestOutbox.create().retry(TestOutbox.AT_ONCE).poller(Duration.ofMillis(50), 50, Duration.ofMinutes(1));

    @AfterEach
    void close() {
        outbox.close();
        ATTEMPTS.clear();
    }

    record Named(String name) {}

    /** Payload that throws when it is read, and not when it is published. */
    record Constructed(String name) {
        Constructed {
            attempt(name);
        }
    }

    record Got(String name) {
        @Override
        public String name() {
            attempt(name);
            return name;
        }
    }

    record Deserialized(
            @JsonDeserialize(using = Hostile.class) String name) {}

    @EventType(version = 2)
    record Upcast(String name) {}

    static final class Hostile extends ValueDeserializer<String> {
        @Override
        public String deserialize(JsonParser parser, DeserializationContext context) {
            String name = parser.getString();
            attempt(name);
            return name;
        }
    }

    /** Code of the application that an attempt calls. */
    enum Callback {
        HANDLER((outbox) -> outbox.handler("any", "*", HostileCallbacksTest::attempt)),
        DEDUPLICATING_HANDLER(
                (outbox) -> outbox.handler(HandlerDefinition.of("any", Set.of("*"), HostileCallbacksTest::attempt)
                        .deduplicating())),
        BATCH_HANDLER((outbox) -> outbox.handler(HandlerDefinition.<EventEnvelope>ofBatch(
                "any",
                Set.of("*"),
                null,
                (payloads, events, outcome, context) -> events.forEach(HostileCallbacksTest::attempt)))),
        BATCH_OUTCOME((outbox) -> outbox.handler(HandlerDefinition.<EventEnvelope>ofBatch(
                "any",
                Set.of("*"),
                null,
                (payloads, events, outcome, context) -> events.forEach((event) -> attempt(event, outcome))))),
        INTERCEPTOR((outbox) -> outbox.extensions(new Extensions(
                        Stream::empty,
                        Stream::empty,
                        () -> Stream.of((call, chain) -> {
                            attempt(call.events().get(0));
                            chain.proceed();
                        }),
                        Stream::empty))
                .handler("any", "*", (envelope) -> {})),
        INTERCEPTOR_AFTER_HANDLER((outbox) -> outbox.extensions(new Extensions(
                        Stream::empty,
                        Stream::empty,
                        () -> Stream.of((call, chain) -> {
                            chain.proceed();
                            attempt(call.events().get(0));
                        }),
                        Stream::empty))
                .handler("any", "*", (envelope) -> {})),
        UPCASTER((outbox) -> outbox.extensions(new Extensions(
                        Stream::empty,
                        Stream::empty,
                        Stream::empty,
                        () -> Stream.of(EventUpcaster.of("Upcast", 1, 2, (json) -> {
                            attempt(json.get("name").asString());
                            return json;
                        }))))
                .handler(typed(Upcast.class))),
        CONSTRUCTOR((outbox) -> outbox.handler(typed(Constructed.class))),
        GETTER((outbox) -> outbox.handler(typed(Got.class))),
        DESERIALIZER((outbox) -> outbox.handler(typed(Deserialized.class)));

        private final Consumer<TestOutbox> use;

        Callback(Consumer<TestOutbox> use) {
            this.use = use;
        }

        private static <T> HandlerDefinition typed(Class<T> type) {
            return HandlerDefinition.of("any", Set.of(type.getSimpleName()), type, (payload, envelope) -> {
                if (payload instanceof Got got) {
                    got.name();
                }
            });
        }

        private int callsOfAnAttempt() {
            return switch (this) {
                case GETTER -> 2;
                default -> 1;
            };
        }

        private String eventType() {
            return switch (this) {
                case UPCASTER -> "Upcast";
                case CONSTRUCTOR -> "Constructed";
                case GETTER -> "Got";
                case DESERIALIZER -> "Deserialized";
                default -> "Named";
            };
        }
    }

    private static void attempt(EventEnvelope envelope) {
        attempt(envelope.aggregateId());
    }

    private static void attempt(String name) {
        ATTEMPTS.computeIfAbsent(name, (key) -> new AtomicInteger()).incrementAndGet();
        Poison.throwFor(name);
    }

    private static void attempt(EventEnvelope envelope, BatchOutcome outcome) {
        try {
            attempt(envelope);
        } catch (Throwable ex) {
            outcome.failed(envelope, ex);
        }
    }

    @ParameterizedTest
    @EnumSource
    @Guarantee(value = "G4", sentence = "Whatever the code of a handler throws, only its own event is affected.")
    void poisonedEventBecomesDeadLetterBesideOthers(Callback callback) {
        callback.use.accept(outbox);
        assertOnlyPoisonedEventsAreDead(callback);
    }

    @ParameterizedTest
    @EnumSource(names = {"HANDLER", "BATCH_HANDLER", "UPCASTER"})
    void poisonedEventBecomesDeadLetterBesideConcurrentOnes(Callback callback) {
        outbox.stream("default", with(4));
        callback.use.accept(outbox);
        assertOnlyPoisonedEventsAreDead(callback);
    }

    private void assertOnlyPoisonedEventsAreDead(Callback callback) {
        List<EventEnvelope> poisoned = Arrays.stream(Poison.deadly())
                .map((poison) -> publish(poison.name(), callback.eventType()))
                .toList();
        List<EventEnvelope> healthy = publishHealthy(callback.eventType());
        outbox.start();

        assertPublished(healthy);
        poisoned.forEach((event) -> patiently()
                .untilAsserted(() -> assertThat(outbox.statusOf(event))
                        .as(event.aggregateId())
                        .isEqualTo("DEAD")));
        assertThat(poisoned)
                .allSatisfy((event) -> assertThat(ATTEMPTS.get(event.aggregateId()))
                        .as(event.aggregateId())
                        .hasValueBetween(1, callback.callsOfAnAttempt() * MOST_ATTEMPTS));
        assertPublished(publishHealthy(callback.eventType()));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void endlessDelayIsShortened(int concurrency) {
        outbox.handler("any", "*", HostileCallbacksTest::attempt).stream("default", with(concurrency));
        EventEnvelope delayed = publish(Poison.ENDLESS_DELAY.name(), "Named");
        outbox.start();

        assertPublished(publishHealthy("Named"));
        patiently().until(() -> outbox.statusOf(delayed).equals("RETRYING"));
        assertThat(outbox.value(
                        Boolean.class,
                        "SELECT next_retry_at BETWEEN now() + interval '364 days' AND now() + interval '366 days'"
                                + " FROM events.outbox_delivery"))
                .isTrue();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void hostileListenerAffectsNoDelivery(int concurrency) {
        AtomicInteger calls = new AtomicInteger();
        OutboxListener listener = (OutboxListener) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {OutboxListener.class}, (proxy, method, arguments) -> {
                    throwNext(calls);
                    return null;
                });
        outbox.listener(listener);
        assertEventsAreHandled(concurrency);
        assertThat(calls).hasPositiveValue();
    }

    @Test
    void hostileMeterFilterAffectsNoDelivery() {
        AtomicInteger calls = new AtomicInteger();
        MeterRegistry registry = new SimpleMeterRegistry();
        registry.config().meterFilter(new MeterFilter() {
            @Override
            public MeterFilterReply accept(Meter.Id id) {
                throwNext(calls);
                return MeterFilterReply.NEUTRAL;
            }
        });
        outbox.listener(new OutboxMeters(registry, Set::of));
        assertEventsAreHandled(1);
        assertThat(calls).hasPositiveValue();
    }

    private static void throwNext(AtomicInteger calls) {
        Poison[] poisons = Poison.values();
        Poison.throwFor(poisons[calls.getAndIncrement() % poisons.length].name());
    }

    private void assertEventsAreHandled(int concurrency) {
        outbox
                .handler("any", "*", (envelope) -> {
                    int attempt = ATTEMPTS.computeIfAbsent(envelope.aggregateId(), (key) -> new AtomicInteger())
                            .incrementAndGet();
                    if (attempt == 1 || envelope.aggregateId().equals("dead")) {
                        throw new IOException("once");
                    }
                })
                .stream("default", with(concurrency));
        EventEnvelope dead = publish("dead", "Named");
        List<EventEnvelope> healthy = publishHealthy("Named");
        outbox.start();
        assertPublished(healthy);
        patiently().until(() -> outbox.statusOf(dead).equals("DEAD"));
        assertThat(ATTEMPTS.get("dead")).hasValue(MOST_ATTEMPTS);
    }

    @Test
    void hostileDeadLetterMethodDelaysNoOther() {
        Set<String> reported = ConcurrentHashMap.newKeySet();
        outbox.handler(HandlerDefinition.of("any", Set.of("*"), (envelope) -> {
                    throw new IOException("always");
                })
                .onDeadLetter((letter) -> {
                    Poison.throwFor(letter.event().aggregateId());
                    reported.add(letter.event().aggregateId());
                }));
        List<EventEnvelope> poisoned = Arrays.stream(Poison.values())
                .map((poison) -> publish(poison.name(), "Named"))
                .toList();
        publishHealthy("Named");
        outbox.start();

        patiently().until(() -> reported.size() == HEALTHY);
        assertThat(poisoned)
                .allSatisfy((event) -> assertThat(outbox.event(event)).isDead());
    }

    @Test
    void hostileHeadersContributorFailsThePublisher() {
        outbox.extensions(new Extensions(
                Stream::empty,
                () -> Stream.of((event, headers) -> Poison.throwFor(event.aggregateId())),
                Stream::empty,
                Stream::empty));
        outbox.handler("any", "*", (envelope) -> {}).start();

        for (Poison poison : Poison.values()) {
            assertThat(catchThrowable(() -> publish(poison.name(), "Named")) != null)
                    .as(poison.name())
                    .isTrue();
        }
        assertPublished(publishHealthy("Named"));
        assertThat(outbox.events()).isEqualTo(HEALTHY);
    }

    /** The clock is no callback: it stands for whatever throws outside of the code that expects it. */
    @ParameterizedTest
    @ValueSource(ints = {1, 4})
    void unforeseenErrorIsAFailedAttempt(int concurrency) {
        outbox
                .clock(new Clock() {
                    @Override
                    public ZoneId getZone() {
                        return Clock.systemUTC().getZone();
                    }

                    @Override
                    public Clock withZone(ZoneId zone) {
                        return this;
                    }

                    @Override
                    public Instant instant() {
                        if (ATTEMPTS.containsKey(Thread.currentThread().getName())) {
                            throw new AssertionError("unforeseen");
                        }
                        return Instant.now();
                    }
                })
                .handler("any", "*", (envelope) -> {
                    if (envelope.aggregateId().equals("poisoned")) {
                        ATTEMPTS.put(Thread.currentThread().getName(), new AtomicInteger());
                        ATTEMPTS.computeIfAbsent("poisoned", (key) -> new AtomicInteger())
                                .incrementAndGet();
                    } else {
                        ATTEMPTS.remove(Thread.currentThread().getName());
                    }
                })
                .stream("default", with(concurrency));
        EventEnvelope poisoned = publish("poisoned", "Named");
        List<EventEnvelope> healthy = publishHealthy("Named");
        outbox.start();

        assertPublished(healthy);
        patiently().until(() -> outbox.statusOf(poisoned).equals("DEAD"));
        assertThat(ATTEMPTS.get("poisoned")).hasValue(MOST_ATTEMPTS);
    }

    /** What leaves a thread of the outbox must not reach the test: the tools that report it call the methods that throw. */
    private static ConditionFactory patiently() {
        return await().dontCatchUncaughtExceptions().atMost(PATIENCE);
    }

    private static PollerSettings with(int concurrency) {
        return new PollerSettings(
                Duration.ofMillis(50), 20, concurrency, Duration.ofMinutes(1), Duration.ofSeconds(10));
    }

    private EventEnvelope publish(String aggregateId, String eventType) {
        return outbox.publish(OutboxEvent.of("order", aggregateId, Map.of("name", aggregateId))
                .withEventType(eventType));
    }

    private List<EventEnvelope> publishHealthy(String eventType) {
        List<EventEnvelope> events = new ArrayList<>();
        for (int i = 0; i < HEALTHY; i++) {
            events.add(publish("healthy-" + i, eventType));
        }
        return events;
    }

    private void assertPublished(List<EventEnvelope> events) {
        events.forEach((event) -> patiently()
                .untilAsserted(() -> assertThat(outbox.statusOf(event)).isEqualTo("PUBLISHED")));
    }
}
