package dev.outbox.internal.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.fixture.Lanes;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.poll.PollerSettings;
import dev.outbox.internal.sql.OutboxSchema;
import dev.outbox.operations.OutboxInspector;
import dev.outbox.operations.OutboxOverview.Call;
import dev.outbox.operations.OutboxOverview.Instance;
import dev.outbox.operations.ReplayRequest;
import dev.outbox.operations.fixture.Operator;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Instances that poll, in the overview. */
class InstancesTest {

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final TestOutbox another = outbox.another().stream("slow", PollerSettings.defaults());
    private final OutboxInspector inspector =
            Operator.of(outbox.another().withoutPolling()).inspector();

    @Test
    void instancesAppearWhenTheyStartAndDisappearWhenTheyStop() {
        assertThat(instances()).isEmpty();

        outbox.start();
        await().until(() -> instances().size() == 1);
        another.start();
        await().until(() -> instances().size() == 2);

        assertThat(instances()).extracting(Instance::streams).contains(Set.of("default"), Set.of("default", "slow"));
        assertThat(instances()).allSatisfy((instance) -> {
            assertThat(instance.openCircuits()).isEmpty();
            assertThat(instance.startedAt()).isBeforeOrEqualTo(instance.lastSeenAt());
        });
        another.runtime().close();
        await().untilAsserted(() ->
                assertThat(instances()).extracting(Instance::streams).containsExactly(Set.of("default")));
        outbox.runtime().close();
        await().untilAsserted(() -> assertThat(instances()).isEmpty());
    }

    @Test
    void instanceHasTheNameOfItsClaims() {
        CountDownLatch end = new CountDownLatch(1);
        outbox.handler("mail", "*", (event) -> end.await()).start();
        outbox.publish("1", new OrderPlaced(1));

        await().until(() -> instances().size() == 1 && outbox.claims() == 1);
        assertThat(inspector.overview().streams().get(0).claims())
                .singleElement()
                .satisfies((claim) ->
                        assertThat(claim.worker()).isEqualTo(instances().get(0).name()));
        end.countDown();
    }

    @Test
    void instanceThatOnlyPublishesIsNotListed() {
        another.withoutPolling().start();
        outbox.start();

        await().until(() -> instances().size() == 1);
        assertThat(instances().get(0).streams()).containsExactly("default");
    }

    @Test
    void signOfLifeShowsTroublesAndRemovesOldInstances() throws SQLException {
        InstanceStore store = new InstanceStore(outbox.dataSource(), OutboxSchema.DEFAULT);
        store.seen("crashed", equipment("default"));
        store.seen("recent", equipment("default"));
        outbox.sql()
                .sql(
                        "UPDATE events.outbox_instance SET last_seen_at = now() - CASE name WHEN 'crashed' THEN interval '25 h'"
                                + " ELSE interval '23 h' END, started_at = now() - interval '2 days'")
                .update();

        store.seen("own", equipment("default", "slow"));
        store.seen(
                "own",
                new InstanceStore.Equipment(
                        Set.of("slow"),
                        Set.of("mail"),
                        Map.of(),
                        Set.of(),
                        Set.of("mail", "audit"),
                        Set.of("orders: refused"),
                        Activity.NONE));
        store.name("own", "shop", Set.of("mail"), Set.of());

        assertThat(instances()).extracting(Instance::name).containsExactly("own", "recent");
        assertThat(instances()).extracting(Instance::application).containsExactly("shop", null);
        assertThat(instances().get(0).streams()).containsExactly("slow");
        assertThat(instances().get(0).openCircuits()).containsExactlyInAnyOrder("mail", "audit");
        assertThat(instances().get(0).stoppedInboxes()).containsExactly("orders: refused");
        store.delete("own");
        assertThat(instances()).extracting(Instance::name).containsExactly("recent");
    }

    /** Without work, an instance that receives wake-ups gives a sign of life each 20 s only. */
    @Test
    void lastingCallIsListedWithinSecondsAndOnlyWhileItLasts() {
        CountDownLatch end = new CountDownLatch(1);
        outbox.withNotifications().handler("mail", "*", (event) -> end.await()).start();
        await().until(() -> instances().size() == 1);
        EventEnvelope event = outbox.publish("1", new OrderPlaced(1));

        await().atMost(Duration.ofSeconds(15))
                .until(() -> !instances().get(0).calls().isEmpty());
        assertThat(instances().get(0).calls()).singleElement().satisfies((call) -> {
            assertThat(call.handlerId()).isEqualTo("mail");
            assertThat(call.eventId()).isEqualTo(event.eventId());
            assertThat(call.running()).isGreaterThanOrEqualTo(Duration.ofSeconds(1));
            assertThat(call.state()).isEqualTo(Call.State.RUNNING);
        });
        end.countDown();
        await().atMost(Duration.ofSeconds(15))
                .until(() -> instances().get(0).calls().isEmpty());
        assertThat(inspector.overview().handlers().get(0).runTimes())
                .singleElement()
                .satisfies((runTime) -> {
                    assertThat(runTime.stream()).isEqualTo("default");
                    assertThat(runTime.calls()).isOne();
                    assertThat(runTime.mean()).isGreaterThanOrEqualTo(Duration.ofSeconds(1));
                });
    }

    @Test
    void callsOfSilentInstancesAreOver() throws SQLException {
        EventEnvelope event = another.withoutPolling().publish("1", new OrderPlaced(1));
        Activity activity = new Activity(
                List.of(new Activity.Call("mail", event, Duration.ofSeconds(63), Activity.State.STUCK)),
                List.of(new Activity.RunTime("mail", "default", 3, Duration.ofSeconds(12))));
        new InstanceStore(outbox.dataSource(), OutboxSchema.DEFAULT)
                .seen(
                        "own",
                        new InstanceStore.Equipment(
                                Set.of("default"), Set.of("mail"), Map.of(), Set.of(), Set.of(), Set.of(), activity));
        assertThat(instances().get(0).calls())
                .containsExactly(new Call(
                        "mail",
                        "default",
                        event.eventId(),
                        "OrderPlaced",
                        "order",
                        "1",
                        Duration.ofSeconds(63),
                        Call.State.STUCK));

        outbox.sql()
                .sql("UPDATE events.outbox_instance SET last_seen_at = now() - interval '31 s'")
                .update();
        assertThat(instances().get(0).calls()).isEmpty();
    }

    @Test
    void signOfLifeFindsTheWorkThatWaits() throws SQLException {
        another.withoutPolling();
        Lanes lanes = new Lanes(another);
        another.addStream("default");
        assertThat(work()).isEqualTo(new InstanceStore.Work(Set.of(), false, false, false, Map.of()));

        EventEnvelope event = another.publish("1", new OrderPlaced(1));
        assertThat(work()).isEqualTo(new InstanceStore.Work(Set.of("default"), false, false, false, Map.of()));
        lanes.failed("mail", event);
        assertThat(work())
                .as("lane due in an hour")
                .isEqualTo(new InstanceStore.Work(Set.of(), false, false, false, Map.of()));
        lanes.due();
        assertThat(work()).isEqualTo(new InstanceStore.Work(Set.of("default"), false, false, false, Map.of()));
        another.sql().sql("DELETE FROM events.outbox_lane").update();
        another.sql().sql("DELETE FROM events.outbox_delivery").update();

        lanes.claimed(event, "1 minute");
        assertThat(work()).isEqualTo(new InstanceStore.Work(Set.of("default"), false, false, false, Map.of()));
        another.loseClaims();
        assertThat(work()).isEqualTo(new InstanceStore.Work(Set.of(), false, false, false, Map.of()));

        lanes.dead("mail", event);
        assertThat(work()).isEqualTo(new InstanceStore.Work(Set.of(), false, true, false, Map.of()));
        another.sql()
                .sql("UPDATE events.outbox_delivery SET report_at = 'infinity'")
                .update();
        lanes.registered("mail", "{}", "*");
        Operator.of(another).replays().start(ReplayRequest.of("mail"), "ann", "again");
        assertThat(work()).isEqualTo(new InstanceStore.Work(Set.of(), true, false, false, Map.of()));
    }

    private InstanceStore.Work work() throws SQLException {
        return new InstanceStore(outbox.dataSource(), OutboxSchema.DEFAULT).seen("own", equipment("default", "slow"));
    }

    @Test
    void deliveryContinuesWithoutTheTable() {
        outbox.sql().sql("DROP TABLE events.outbox_instance").update();
        outbox.sql()
                .sql("CREATE VIEW events.outbox_instance AS SELECT 1 AS name")
                .update();
        outbox.sql()
                .sql("GRANT SELECT, INSERT, UPDATE, DELETE ON events.outbox_instance TO outbox_worker")
                .update();
        CountDownLatch handled = new CountDownLatch(1);
        outbox.handler("mail", "*", (event) -> handled.countDown()).start();

        outbox.publish("1", new OrderPlaced(1));
        outbox.awaitPublished(1);
        assertThat(handled.getCount()).isZero();
        outbox.runtime().close();
    }

    private static InstanceStore.Equipment equipment(String... streams) {
        return new InstanceStore.Equipment(
                Set.of(streams), Set.of("mail"), Map.of(), Set.of("mail"), Set.of(), Set.of(), Activity.NONE);
    }

    private List<Instance> instances() {
        return inspector.overview().instances();
    }
}
