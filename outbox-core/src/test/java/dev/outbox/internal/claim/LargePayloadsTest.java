package dev.outbox.internal.claim;

import static dev.outbox.internal.claim.ClaimSteps.ids;
import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.registry.ActiveHandlers;
import dev.outbox.internal.sql.OutboxSchema;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A claim counts bytes, so that a batch fits into the heap. */
class LargePayloadsTest {

    private static final int LARGE = 1_000_000;

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    private final ClaimStore claims = new ClaimStore(outbox.dataSource(), OutboxSchema.DEFAULT);
    private final SettlementStore settlements = new SettlementStore(outbox.dataSource(), OutboxSchema.DEFAULT);

    record Text(String text) {}

    @Test
    void claimTakesOnlyAsManyLargePayloadsAsFit() throws SQLException {
        publishLarge(20);

        ClaimStore.Round round = claim();
        assertThat(round.isCut()).isTrue();
        assertThat(round.claim().events()).hasSize(9);
        settlements.settle(new SettlementStore.Settlement(round.claim(), ids(round.claim()), List.of(), true, false));
        assertThat(claim().claim().events())
                .extracting((event) -> event.envelope().sequence())
                .startsWith(10L);
    }

    @Test
    void claimOfSmallPayloadsIsNotCut() throws SQLException {
        for (int number = 0; number < 100; number++) {
            outbox.publish("a", new OrderPlaced(number));
        }

        ClaimStore.Round round = claim();
        assertThat(round.isCut()).isFalse();
        assertThat(round.claim().events()).hasSize(100);
    }

    @Test
    void payloadLargerThanABatchIsClaimedAlone() throws SQLException {
        outbox.update("""
                        INSERT INTO events.outbox_unpublished (aggregate_type, aggregate_id, aggregate_seq, event_type, payload)
                        SELECT 'order', 'a', n, 'Text', jsonb_build_object('text', repeat('x', 10000000)) FROM generate_series(1, 2) n
                        """);

        assertThat(claim().claim().events()).hasSize(1);
    }

    private void publishLarge(int events) {
        String text = "x".repeat(LARGE);
        for (int number = 0; number < events; number++) {
            outbox.publish("a", new Text(text));
        }
    }

    private ClaimStore.Round claim() throws SQLException {
        outbox.addStream("default");
        return claims.claim(
                        ClaimSteps.request("default", "w", 1000, Duration.ofMinutes(1), ActiveHandlers.ofAllTypes()))
                .orElseThrow();
    }
}
