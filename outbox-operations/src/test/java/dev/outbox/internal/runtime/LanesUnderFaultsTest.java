package dev.outbox.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import com.zaxxer.hikari.HikariDataSource;
import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition;
import dev.outbox.NonRetryableException;
import dev.outbox.OnDead;
import dev.outbox.fixture.InBackground;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.dispatch.RetryPolicy;
import dev.outbox.internal.dispatch.RetryPolicy.Backoff;
import dev.outbox.internal.failure.Causes;
import dev.outbox.internal.poll.PollerSettings;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.OutboxOperations;
import dev.outbox.operations.ReplayRequest;
import dev.outbox.operations.fixture.Operator;
import dev.outbox.testing.Guarantee;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.transaction.TransactionException;

/**
 * Lanes of three instances, while leases end early, sessions are terminated, instances die, the incarnation changes, transactions take
 * long, operators retry and skip, and replays feed. {@code outbox.property.seed} repeats what a run chose, as far as threads allow;
 * {@code outbox.property.deliveries} makes it longer.
 */
@Tag("full")
class LanesUnderFaultsTest {

    private static final int DELIVERIES = Integer.getInteger("outbox.property.deliveries", 20_000);
    private static final Duration DEADLINE = Duration.ofMinutes(8);
    private static final List<String> HANDLERS = List.of("mail", "ledger", "search");
    private static final List<Duration> DELAYS = List.of(Duration.ZERO, Duration.ofMillis(5), Duration.ofMillis(50));
    private static final DeliverySelection DEAD = DeliverySelection.all().withStatus(DeliveryStatus.DEAD);
    private static final DeliverySelection OPEN = DeliverySelection.all().withStatus(DeliveryStatus.OPEN);

    /** An attempt may begin after its lease has ended: a confirmation is trusted for 100 ms, and threads wait for a processor. */
    private static final long LATE_NANOS = Duration.ofSeconds(2).toNanos();

    /** In one snapshot: lanes whose row is missing, left over, names another delivery than the first, or is due later than that. */
    private static final String WRONG_LANES = """
            SELECT concat_ws(' ', handler_id, aggregate_id, l.first_seq, l.due_at, l.claim_id, 'but', d.aggregate_seq, d.status, d.next_retry_at)
              FROM events.outbox_lane l
              FULL JOIN (SELECT DISTINCT ON (aggregate_type, aggregate_id, handler_id) *
                           FROM events.outbox_delivery WHERE status <> 'DEAD'
                          ORDER BY aggregate_type, aggregate_id, handler_id, aggregate_seq) d USING (aggregate_type, aggregate_id, handler_id)
             WHERE (l.first_seq, l.stream) IS DISTINCT FROM (d.aggregate_seq, d.stream)
                OR (l.claim_id IS NULL AND (l.due_at = 'infinity') <> (d.status = 'BLOCKING'))
                OR (l.claim_id IS NOT NULL AND NOT EXISTS (SELECT FROM events.outbox_claim c WHERE c.id = l.claim_id))
                OR (l.claim_id IS NULL AND d.status = 'OPEN' AND l.due_at > greatest(d.next_retry_at, clock_timestamp()))
            """;

    /** As if workers had stood still: others take over some lanes, or a claim. Returns the lanes concerned. */
    private static final String END_LEASES = """
            WITH claim AS (
                UPDATE events.outbox_claim SET locked_until = now() - interval '1 ms'
                 WHERE id = ANY (ARRAY(SELECT id FROM events.outbox_claim WHERE locked_until > now()
                                        ORDER BY hashint8extended(id, ?) LIMIT ? FOR UPDATE SKIP LOCKED))
                RETURNING id, event_ids
            )
            SELECT handler_id || '/' || aggregate_id FROM events.outbox_lane JOIN claim ON claim.id = claim_id
             UNION SELECT h.id || '/' || o.aggregate_id
              FROM claim JOIN events.outbox o ON o.id = ANY (claim.event_ids) CROSS JOIN unnest('{mail,ledger,search}'::text[]) AS h (id)
            """;

    private static final String TERMINATE = "SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity"
            + " WHERE datname = current_database() AND usename <> current_user ORDER BY hashint8extended(pid, ?) LIMIT 1";

    private static final String ENDED_OTHERWISE = "SELECT unnest(skipped_handlers) || event_id FROM events.outbox"
            + " UNION SELECT handler_id || event_id FROM events.outbox_delivery JOIN events.outbox ON id = outbox_id";

    /** Widens windows: some statements wait between their snapshot and their first change. */
    private static final String WAITING = """
            CREATE FUNCTION events.wait_at_random() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN IF random() < 0.03 THEN PERFORM pg_sleep(random() * 0.04); END IF; RETURN NULL; END $$;
            CREATE TRIGGER waits BEFORE INSERT OR UPDATE OR DELETE ON events.outbox_lane EXECUTE FUNCTION events.wait_at_random();
            CREATE TRIGGER waits BEFORE INSERT OR UPDATE OR DELETE ON events.outbox_delivery EXECUTE FUNCTION events.wait_at_random();
            """;

    private final long seed = Long.getLong("outbox.property.seed", new SplittableRandom().nextLong());
    private final ConcurrentLinkedDeque<TestOutbox> instances = new ConcurrentLinkedDeque<>();
    private final List<CompletableFuture<Boolean>> work = new ArrayList<>();
    private volatile boolean over;
    private final AtomicInteger deliveries = new AtomicInteger();
    private final Map<String, Integer> attempts = new ConcurrentHashMap<>();
    private final Map<String, Lane> lanes = new ConcurrentHashMap<>();
    private final Set<String> committed = ConcurrentHashMap.newKeySet();
    private final Set<String> reached = ConcurrentHashMap.newKeySet();
    private final Set<String> late = ConcurrentHashMap.newKeySet();
    private final Set<Span> ended = ConcurrentHashMap.newKeySet();
    private final Set<Span> overlaps = ConcurrentHashMap.newKeySet();

    /** When attempts may go on after the lease of a lane was ended, or when an attempt began and a later one that ran at the same time. */
    private record Span(String lane, long from, long to) {}

    private record Attempt(String delivery, long sequence, boolean replayed, String outcome) {}

    /** Attempts in the order in which they ended, and when those that run began. */
    private record Lane(List<Attempt> attempts, List<Long> running) {}

    @Test
    @Guarantee(value = "G3", sentence = "Random runs with faults, operators and replays keep every lane whole.")
    void lanesStayWholeAndInOrder() {
        System.out.println("LanesUnderFaultsTest: -Doutbox.property.seed=" + seed);
        Logger log = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
        log.setLevel(Level.OFF);
        try {
            run(instance(TestOutbox.create()));
        } finally {
            over = true;
            instances.forEach(TestOutbox::close);
            log.setLevel(Level.WARN);
        }
    }

    private void run(TestOutbox first) {
        first.sql().sql(WAITING).update();
        first.start();
        instance(first.another()).start();
        instance(first.another()).start();
        repeat(0, (random) -> publish(first, random));
        repeat(50, (random) -> disturb(first, random));
        repeat(200, (random) -> operate(Operator.of(first).operations(), random));
        repeat(100, (random) -> assertThat(texts(first, WRONG_LANES)).isEmpty());
        // Holds a snapshot.
        repeat(500, (random) -> texts(first, "SELECT pg_sleep(3)::text"));
        for (String handler : List.of("mail", "ledger")) {
            awaitDeliveries(deliveries.get() + DELIVERIES / 3);
            ReplayRequest request = ReplayRequest.of(handler).rate(1_000);
            await().ignoreExceptions().until(() -> Operator.of(first).replays().start(request, "ann", "to see") > 0);
        }
        awaitDeliveries(DELIVERIES);
        over = true;
        work.forEach(InBackground::result);
        await().atMost(DEADLINE).pollInterval(Duration.ofMillis(500)).until(() -> isDone(first));
        check(first);
        System.out.printf(
                "LanesUnderFaultsTest: %s deliveries of %d events, %d leases ended, %d overlaps%n",
                deliveries, committed.size(), ended.size(), overlaps.size());
    }

    private void awaitDeliveries(int count) {
        await().atMost(DEADLINE).until(() -> {
            work.stream().filter(CompletableFuture::isCompletedExceptionally).forEach(InBackground::result);
            return deliveries.get() >= count;
        });
    }

    private static boolean isDone(TestOutbox outbox) {
        Operator.of(outbox).operations().retry(DEAD.ofHandler("ledger"), "ann", "at the end");
        return outbox.count("events.outbox_delivery WHERE status <> 'DEAD'") == 0
                && outbox.count("events.outbox_unpublished WHERE status <> 'DEAD'") == 0
                && outbox.count("events.outbox_replay WHERE finished_at IS NULL") == 0;
    }

    private void check(TestOutbox outbox) {
        assertThat(outbox.lanes()).isZero();
        assertThat(overlaps)
                .allMatch((overlap) -> ended.stream()
                        .anyMatch((lease) -> lease.lane().equals(overlap.lane())
                                && lease.from() < overlap.to()
                                && lease.to() > overlap.from()));
        reached.addAll(texts(outbox, ENDED_OTHERWISE));
        late.addAll(texts(outbox, ENDED_OTHERWISE));
        late.addAll(
                texts(
                        outbox,
                        "SELECT handler_id || event_id FROM events.outbox_operation WHERE action = 'SKIP' OR previous_status = 'DEAD'"));
        lanes.forEach((name, lane) -> assertThat(lane.attempts().stream()
                        .filter((one) ->
                                one.outcome().equals("SUCCEEDED") && !one.replayed() && !late.contains(one.delivery()))
                        .map(Attempt::sequence)
                        .distinct())
                .as("%s %s", name, lane)
                .isSorted());
        Set<String> stored = texts(outbox, "SELECT event_id::text FROM events.outbox WHERE event_type = 'OrderPlaced'");
        assertThat(stored).containsAll(committed);
        HANDLERS.forEach((id) -> assertThat(stored).allMatch((event) -> reached.contains(id + event)));
    }

    private static Set<String> texts(TestOutbox outbox, String query, Object... parameters) {
        return Set.copyOf(
                outbox.sql().sql(query).params(parameters).query(String.class).list());
    }

    private TestOutbox instance(TestOutbox outbox) {
        HANDLERS.forEach((id) -> outbox.handler(HandlerDefinition.of(id, Set.of("*"), (event) -> handle(id, event))
                .onDead(id.equals("ledger") ? OnDead.BLOCK : OnDead.CONTINUE)));
        Duration lease = Duration.ofSeconds(5);
        instances.push(outbox);
        return outbox.retry(new RetryPolicy(new Backoff.Delays(DELAYS), 4)).stream(
                "default", new PollerSettings(DELAYS.get(2), 50 * instances.size(), 4, lease, lease));
    }

    private void handle(String handler, EventEnvelope event) {
        String delivery = handler + event.eventId();
        String name = handler + "/" + event.aggregateId();
        Lane lane = lanes.computeIfAbsent(name, (key) -> new Lane(new ArrayList<>(), new ArrayList<>()));
        Long begun = System.nanoTime();
        synchronized (lane) {
            lane.running().forEach((earlier) -> overlaps.add(new Span(name, earlier, begun)));
            lane.running().add(begun);
        }
        deliveries.incrementAndGet();
        int attempt = attempts.merge(delivery, 1, Integer::sum);
        SplittableRandom random = new SplittableRandom((seed + name + event.sequence() + attempt).hashCode());
        LockSupport.parkNanos(random.nextInt(50) > 0 ? 0 : 1_000_000L * random.nextInt(200));
        boolean dies = random.nextInt(500) == 0;
        boolean fails = random.nextInt(100) < (handler.equals("mail") ? 30 : 2);
        // Later ones go on where it does not block, and the outcomes of all may be lost with the lease.
        late.add(dies && !handler.equals("ledger") ? delivery : "");
        String outcome = dies ? "DEAD" : fails ? "FAILED" : "SUCCEEDED";
        synchronized (lane) {
            lane.running().remove(begun);
            lane.attempts().add(new Attempt(delivery, event.sequence(), event.replayed(), outcome));
        }
        if (dies || fails) {
            throw dies ? new NonRetryableException("at random") : new IllegalStateException("at random");
        }
        reached.add(delivery);
    }

    private void publish(TestOutbox outbox, SplittableRandom random) {
        await().atMost(DEADLINE).until(() -> over || outbox.unpublished() < 1_500);
        List<Integer> aggregates = random.ints(20, 0, 300).sorted().boxed().toList();
        committed.addAll(outbox.inTransaction(() -> aggregates.stream()
                .map((id) -> outbox.publisher().publish("order", "" + id, new OrderPlaced(id)))
                .map((event) -> event.eventId().toString())
                .toList()));
    }

    private void disturb(TestOutbox outbox, SplittableRandom random) {
        int choice = random.nextInt(200);
        long salt = random.nextLong();
        if (choice < 2) {
            // Waits for the transactions that have read it, which a crash would have ended.
            outbox.sql().sql("TRUNCATE events.outbox_incarnation").update();
        } else if (choice < 4) {
            TestOutbox killed = List.copyOf(instances).get(random.nextInt(2));
            ((HikariDataSource) killed.dataSource()).close();
            killed.close();
            instances.remove(killed);
            instance(outbox.another()).start();
        } else if (choice < 30) {
            texts(outbox, TERMINATE, salt);
        } else if (choice < 110) {
            long from = System.nanoTime();
            texts(outbox, END_LEASES, salt, choice < 50 ? 1 : 0)
                    .forEach((lane) -> ended.add(new Span(lane, from, System.nanoTime() + LATE_NANOS)));
        }
    }

    private static void operate(OutboxOperations operations, SplittableRandom random) {
        DeliverySelection some = random.nextBoolean() ? DEAD : OPEN;
        switch (random.nextInt(4)) {
            case 0 -> operations.retry(DEAD, "ann", "again");
            case 1 -> operations.retry(OPEN.ofHandler("ledger"), "ann", "now");
            default -> operations.skip(some.ofAggregate("order", "" + random.nextInt(300)), "bob", "never");
        }
    }

    /** Survives terminated sessions: whether their transaction has committed is not known. */
    private void repeat(int millis, Consumer<SplittableRandom> step) {
        SplittableRandom random = new SplittableRandom(seed + millis);
        work.add(InBackground.run(() -> {
            while (!over) {
                try {
                    step.accept(random);
                } catch (RuntimeException ex) {
                    if (!(ex instanceof TransactionException || Causes.isOutage(ex))) {
                        throw ex;
                    }
                }
                LockSupport.parkNanos(1_000_000L * millis);
            }
            return true;
        }));
    }
}
