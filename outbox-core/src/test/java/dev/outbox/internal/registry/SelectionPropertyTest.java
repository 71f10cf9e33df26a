package dev.outbox.internal.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.HandlerDefinition.Source;
import dev.outbox.OutboxEvent;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.dispatch.RetryPolicy;
import dev.outbox.internal.dispatch.RetryPolicy.Backoff;
import dev.outbox.internal.poll.PollerSettings;
import dev.outbox.testing.Guarantee;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Two releases of an application whose handlers select different events, widened, narrowed or renamed, and which restart at random.
 * Repeats what {@code outbox.property.seed} did as far as threads allow.
 */
@Tag("full")
class SelectionPropertyTest {

    private static final List<String> TYPES = List.of("Placed", "Paid", "Shipped");
    private static final List<String> AGGREGATE_TYPES = List.of("order", "invoice", "foreign");
    private static final List<String> STREAMS = List.of("default", "bulk");
    private static final List<String> HANDLERS = List.of("billing", "mail");
    private static final int ROUNDS = 6;
    private static final int EVENTS = 60;
    private static final Duration DEADLINE = Duration.ofMinutes(1);
    private static final Duration LEASE = Duration.ofMinutes(1);

    private final long seed = Long.getLong("outbox.property.seed", new SplittableRandom().nextLong());
    private final SplittableRandom random = new SplittableRandom(seed);

    @Test
    @Guarantee(
            value = "G2",
            sentence =
                    "Random releases with different selections: every event reaches every handler that any release selects it for.")
    void everyEventReachesEveryHandlerThatAnyReleaseSelects() {
        System.out.println("SelectionPropertyTest: -Doutbox.property.seed=" + seed);
        for (int round = 0; round < ROUNDS; round++) {
            try (Round one = new Round()) {
                one.run();
            }
        }
    }

    /** A handler of one release. */
    private record Version(HandlerDefinition definition, Set<Subscription> taken) {

        boolean takes(EventEnvelope event) {
            return taken.stream().anyMatch((one) -> one.takes(Subscription.of(event)));
        }
    }

    private final class Round implements AutoCloseable {

        private final TestOutbox old = instance(TestOutbox.create());
        private final TestOutbox recent = instance(old.another());
        private final Map<String, Version> before = new HashMap<>();
        private final Map<String, Version> after = new HashMap<>();
        private final Map<String, Set<Long>> handled = new ConcurrentHashMap<>();
        private final Set<String> unwanted = ConcurrentHashMap.newKeySet();
        private final Set<String> failed = ConcurrentHashMap.newKeySet();
        private final List<EventEnvelope> events = new ArrayList<>();

        private TestOutbox instance(TestOutbox outbox) {
            outbox.retry(new RetryPolicy(new Backoff.Delays(List.of(Duration.ofMillis(5))), 1000));
            STREAMS.forEach((stream) ->
                    outbox.stream(stream, new PollerSettings(Duration.ofMillis(20), 5, LEASE, Duration.ofSeconds(10))));
            return outbox;
        }

        void run() {
            for (String name : HANDLERS) {
                Version first = version(definition(name, name));
                boolean renamed = random.nextInt(3) == 0;
                Version second = random.nextInt(4) == 0
                        ? version(copy(first, name, renamed))
                        : version(renamed ? definition(name, name + "2").aliases(name) : definition(name, name));
                before.put(name, first);
                after.put(name, second);
                old.handler(first.definition());
                recent.handler(second.definition());
            }
            String releases = "seed " + seed + ": " + describe(before) + " -> " + describe(after);
            old.start();
            recent.start();
            for (int number = 0; number < EVENTS; number++) {
                events.add(publish(random.nextBoolean() ? old : recent, number));
                if (random.nextInt(8) == 0) {
                    restart(random.nextBoolean() ? old : recent);
                }
            }
            boolean oldIsGone = random.nextBoolean();
            if (oldIsGone) {
                old.runtime().close();
                awaitCount(releases, "events.outbox WHERE dispatched_at IS NULL");
                recent.runtime().close();
                Stream.of("outbox_subscription", "outbox_handler")
                        .forEach((table) ->
                                old.update("UPDATE events." + table + " SET last_seen_at = now() - interval '8 days'"));
                // Another application runs all the time.
                old.update("INSERT INTO events.outbox_subscription (handler_id, event_type) VALUES ('clock', 'Tick')");
            }
            recent.start();
            awaitCount(releases, "events.outbox_delivery WHERE status <> 'DEAD'");
            awaitCount(releases, "events.outbox WHERE status IN ('PENDING', 'RETRYING')");
            assertThat(unwanted).as(releases).isEmpty();
            HANDLERS.forEach((name) -> check(releases, name, oldIsGone));
        }

        private void check(String releases, String name, boolean oldIsGone) {
            Set<Long> dead = new TreeSet<>(old.values(
                    Long.class,
                    "SELECT outbox_id FROM events.outbox_delivery WHERE handler_id LIKE ? || '%' AND status = 'DEAD'"
                            + " AND last_error_code IN ('HANDLER_EXPIRED', 'NOT_SELECTED')",
                    name));
            Set<Long> got = handled.getOrDefault(name, Set.of());
            Set<Long> reached = new TreeSet<>(got);
            reached.addAll(dead);
            Set<Long> selected = events.stream()
                    .filter((event) ->
                            before.get(name).takes(event) || after.get(name).takes(event))
                    .map(EventEnvelope::id)
                    .collect(Collectors.toCollection(TreeSet::new));
            assertThat(reached).as(releases).isEqualTo(selected);
            assertThat(oldIsGone || dead.isEmpty()).as(releases).isTrue();
            if (before.get(name)
                    .definition()
                    .id()
                    .equals(after.get(name).definition().id())) {
                Map<String, List<Long>> lanes = new HashMap<>();
                got.forEach((id) -> events.stream()
                        .filter((event) -> event.id() == id)
                        .forEach((event) -> lanes.computeIfAbsent(
                                        event.aggregateType() + event.aggregateId(), (lane) -> new ArrayList<>())
                                .add(event.sequence())));
                assertThat(lanes.values())
                        .as(releases)
                        .allSatisfy((lane) -> assertThat(lane).isSorted());
            }
        }

        private void awaitCount(String releases, String rows) {
            await(releases).atMost(DEADLINE).until(() -> old.count(rows) == 0);
        }

        private String describe(Map<String, Version> release) {
            return release.values().stream()
                    .map((version) -> version.definition().id() + " " + version.taken())
                    .collect(Collectors.joining(", "));
        }

        private Version version(HandlerDefinition definition) {
            Set<Subscription> taken =
                    new LocalHandlers(List.of(definition)).subscriptions().get(definition.id());
            HandlerDefinition checked = definition.decorated((own) -> (payload, envelope, context) -> {
                if (taken.stream().noneMatch((one) -> one.takes(Subscription.of(envelope)))) {
                    unwanted.add(definition.id() + " got " + envelope);
                }
                own.handle(payload, envelope, context);
            });
            return new Version(checked, taken);
        }

        private HandlerDefinition copy(Version first, String name, boolean renamed) {
            HandlerDefinition own = first.definition();
            HandlerDefinition copy = handler(name, renamed ? name + "2" : name, own.eventTypes())
                    .ofAggregateTypes(own.aggregateTypes().toArray(String[]::new))
                    .inStreams(own.streams().toArray(String[]::new))
                    .received(own.source());
            return renamed ? copy.aliases(name) : copy;
        }

        private HandlerDefinition definition(String name, String id) {
            Set<String> types = some(TYPES);
            Source[] sources = Source.values();
            return handler(name, id, types.isEmpty() ? Set.of("*") : types)
                    .ofAggregateTypes(some(AGGREGATE_TYPES).toArray(String[]::new))
                    .inStreams(some(STREAMS).toArray(String[]::new))
                    .received(random.nextBoolean() ? Source.ANY : sources[random.nextInt(sources.length)]);
        }

        private HandlerDefinition handler(String name, String id, Set<String> types) {
            Set<Long> own =
                    handled.computeIfAbsent(name, (known) -> Collections.synchronizedSet(new LinkedHashSet<>()));
            return HandlerDefinition.of(id, types, (envelope) -> {
                if (envelope.sequence() % 4 == 1 && failed.add(name + envelope.id())) {
                    throw new IllegalStateException("on purpose");
                }
                own.add(envelope.id());
            });
        }

        private Set<String> some(List<String> names) {
            return random.nextInt(3) == 0
                    ? Set.of()
                    : names.stream().filter((name) -> random.nextBoolean()).collect(Collectors.toSet());
        }

        private void restart(TestOutbox outbox) {
            outbox.runtime().close();
            outbox.start();
        }

        private EventEnvelope publish(TestOutbox outbox, int number) {
            String aggregateType = AGGREGATE_TYPES.get(random.nextInt(AGGREGATE_TYPES.size()));
            int aggregate = random.nextInt(3);
            OutboxEvent event = OutboxEvent.of(aggregateType, "" + aggregate, new OrderPlaced(number))
                    .withEventType(TYPES.get(random.nextInt(TYPES.size())))
                    .inStream(STREAMS.get(aggregate % STREAMS.size()));
            OutboxEvent sent =
                    aggregateType.equals("foreign") ? event.withOrigin("/shop").withSequence(number + 1) : event;
            return outbox.publish(sent);
        }

        @Override
        public void close() {
            recent.close();
            old.close();
        }
    }
}
