package dev.outbox.internal.notify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.fixture.BulkRows;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.lane.Explained;
import dev.outbox.internal.notify.NotificationChannel.Message;
import dev.outbox.internal.sql.OutboxSchema;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tools.jackson.databind.JsonNode;

/** What an instance that polls announces, as another session receives it. */
@Tag("full")
class NotificationsTest {

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final Notifications notifications = new Notifications(
            true,
            true,
            outbox.dataSource(),
            Optional.empty(),
            OutboxSchema.DEFAULT,
            "this",
            new Random(),
            new Notifications.WakeUps() {
                @Override
                public void wake(WakeUp wakeUp, int hops) {}

                @Override
                public void wakeLater(WakeUp wakeUp) {}
            });
    private final List<Message> received = new ArrayList<>();
    private final NotificationChannel.Subscription subscription;

    NotificationsTest() throws SQLException {
        subscription = new NotificationChannel(outbox.owner(), OutboxSchema.DEFAULT, "other").listen();
        notifications.start();
    }

    @AfterEach
    void close() throws SQLException {
        notifications.close();
        subscription.close();
    }

    @Test
    void announcesEventsThatItHasNotClaimed() throws SQLException {
        UUID claimed = publish().eventId();
        UUID left = publish().eventId();
        notifications.publishedHere("mail", List.of(claimed, left));
        notifications.claimed("mail", () -> Set.of(claimed), false);

        assertThat(next().wakeUp().stream()).isEqualTo("mail");
        assertThat(received).singleElement().satisfies((message) -> {
            assertThat(message.hops()).isZero();
            assertThat(message.isForAll()).isFalse();
        });
    }

    @Test
    void keepsQuietAboutEventsThatItHasClaimed() throws SQLException {
        UUID first = publish().eventId();
        UUID second = publish().eventId();
        notifications.publishedHere("mail", List.of(first));
        notifications.publishedHere("mail", List.of(second));
        notifications.claimed("mail", () -> Set.of(first, second), false);
        notifications.committed(WakeUp.of("last"));

        assertThat(next().wakeUp().stream()).isEqualTo("last");
        assertThat(received).hasSize(1);
    }

    @Test
    void keepsQuietAboutEventsThatHaveLeftTheQueue() throws SQLException {
        notifications.publishedHere("mail", List.of(UUID.randomUUID()));
        await().until(notifications::isEmpty);
        notifications.committed(WakeUp.of("last"));

        assertThat(next().wakeUp().stream()).isEqualTo("last");
        assertThat(received).hasSize(1);
    }

    /** It keeps no more than a hundred ids, and does not look these up. */
    @Test
    void announcesManyEventsWithoutTheirIds() {
        List<UUID> ids = Stream.generate(UUID::randomUUID).limit(60).toList();
        await().until(() -> {
            notifications.publishedHere("mail", ids);
            notifications.publishedHere("mail", ids);
            received.addAll(subscription.receive(Duration.ofMillis(50)));
            return !received.isEmpty();
        });
        assertThat(received.get(0).wakeUp().stream()).isEqualTo("mail");
    }

    @Test
    void announcesAFullClaimOnceUntilOneIsNotFull() throws SQLException {
        for (int i = 0; i < 2; i++) {
            notifications.claimed("mail", Set::of, true);
            notifications.claimed("mail", Set::of, true);
            assertThat(next().wakeUp().stream()).isEqualTo("mail");
            notifications.claimed("mail", Set::of, false);
        }
        notifications.committed(WakeUp.of("last"));

        assertThat(next().wakeUp().stream()).isEqualTo("last");
        assertThat(received).extracting((message) -> message.wakeUp().stream()).containsExactly("mail", "mail", "last");
    }

    @Test
    void checkOfAnEventReadsNoOther() throws SQLException {
        EventEnvelope event = publish();
        new BulkRows(outbox).events(10_000, "'x' || n", "1");

        JsonNode plan = new Explained(outbox.dataSource())
                .explain(
                        NotificationChannel.NOTIFY_IF_PENDING,
                        "text, text[], text[]",
                        "'c', '{m}', '{" + event.eventId() + "," + UUID.randomUUID() + "}'");
        assertThat(Explained.indexesOf(plan)).containsExactly("outbox_unpublished_event_id");
        assertThat(Explained.pages(plan)).isLessThan(10);
    }

    private EventEnvelope publish() {
        return outbox.publish("1", new OrderPlaced(1));
    }

    private Message next() throws SQLException {
        int before = received.size();
        await().until(() -> {
            received.addAll(subscription.receive(Duration.ofMillis(50)));
            return received.size() > before;
        });
        return received.get(received.size() - 1);
    }
}
