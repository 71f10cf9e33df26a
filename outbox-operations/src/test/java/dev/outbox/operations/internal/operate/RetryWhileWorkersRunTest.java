package dev.outbox.operations.internal.operate;

import static dev.outbox.fixture.OutboxAssertions.assertThat;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.fixture.InBackground;
import dev.outbox.fixture.Lanes;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.operations.DeliverySelection;
import dev.outbox.operations.DeliveryStatus;
import dev.outbox.operations.OutboxOperations.Changed;
import dev.outbox.operations.fixture.Operator;
import dev.outbox.testing.OpenTransaction;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Retries of deliveries that a worker or another operator holds. */
@Tag("full")
class RetryWhileWorkersRunTest {

    private static final Duration NEVER = Duration.ofHours(1);
    private static final DeliverySelection MAIL = DeliverySelection.all().ofHandler("mail");

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final Lanes lanes = new Lanes(outbox);

    @Test
    void attemptedDeliveryIsBusy() {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        Recorded mail = Recorded.failing((attempt) -> {
            if (attempt.number() == 2) {
                begun.countDown();
                InBackground.awaitLatch(end);
            }
            return attempt.number() == 1 ? new IOException("down") : null;
        });
        outbox.handler("mail", "*", mail).poller(NEVER, 50, Duration.ofMinutes(1));
        EventEnvelope event = outbox.publish("1", new OrderPlaced(1));
        outbox.start();
        await().until(() -> count(DeliveryStatus.OPEN) == 1);
        retry(MAIL);
        InBackground.awaitLatch(begun);

        outbox.sql().sql("UPDATE events.outbox_delivery SET retry_count = 1").update();
        assertThat(retry(MAIL)).isEqualTo(new Changed(0, 1));
        assertThat(lanes.of("mail", "1")).containsExactly("1 OPEN 1");
        end.countDown();
        assertThat(outbox.event(event)).becomesPublished();
        assertThat(mail.attemptsOf(event)).isEqualTo(2);
    }

    @Test
    void retryEndsExpiredLease() throws SQLException {
        outbox.addStream("default");
        EventEnvelope event = outbox.publishOrders("1", 1).get(0);
        lanes.failed("mail", event);
        lanes.locked("mail", event, "-1 second");
        outbox.sql().sql("UPDATE events.outbox_lane SET crash_count = 2").update();

        assertThat(retry(MAIL)).isEqualTo(new Changed(1, 0));
        assertThat(outbox.sql()
                        .sql(
                                "SELECT crash_count || ' ' || (claim_id IS NULL) || ' ' || (due_at <= clock_timestamp()) FROM events.outbox_lane")
                        .query(String.class)
                        .single())
                .isEqualTo("0 true true");
    }

    @Test
    void lockedDeliveryIsBusy() throws SQLException {
        List<EventEnvelope> events = outbox.publishOrders("1", 3);
        events.forEach((event) -> lanes.dead("mail", event));
        try (OpenTransaction other = OpenTransaction.of(outbox.owner())) {
            other.run("SELECT FROM events.outbox_delivery WHERE outbox_id = "
                    + events.get(0).id() + " FOR UPDATE");
            assertThat(retry(MAIL)).isEqualTo(new Changed(2, 1));
        }
        assertThat(lanes.of("mail", "1")).containsExactly("1 DEAD 3", "2 OPEN 0", "3 OPEN 0");
        assertThat(retry(MAIL)).isEqualTo(new Changed(1, 0));
        assertThat(lanes.of("mail", "1")).containsExactly("1 OPEN 0", "2 OPEN 0", "3 OPEN 0");
    }

    private Changed retry(DeliverySelection selection) {
        return Operator.of(outbox).operations().retry(selection, "ann", "mail is back");
    }

    private long count(DeliveryStatus status) {
        return Operator.of(outbox)
                .operations()
                .count(DeliverySelection.all().withStatus(status))
                .value();
    }
}
