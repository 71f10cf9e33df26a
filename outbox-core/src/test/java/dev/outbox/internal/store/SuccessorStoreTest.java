package dev.outbox.internal.store;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.EventEnvelope;
import dev.outbox.fixture.Lanes;
import dev.outbox.fixture.Orders.OrderPaid;
import dev.outbox.fixture.TestOutbox;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SuccessorStoreTest {

    private final TestOutbox outbox = TestOutbox.create();

    @AfterEach
    void close() {
        outbox.close();
    }

    @Test
    void historyThatCannotBeSearchedInTimeMayHoldASuccessor() throws SQLException {
        HandlerStore registry = new HandlerStore(outbox.dataSource(), OutboxSchema.DEFAULT);
        registry.register(Map.of("mail", Set.of("OrderPlaced")), Map.of(), Duration.ofDays(7));
        EventEnvelope placed = new Lanes(outbox).publish("1", 1).get(0);
        new Lanes(outbox).published(outbox.publish("1", new OrderPaid(1)));
        OffsetDateTime now = OffsetDateTime.now();
        Lane lane = new Lane("mail", "order", "1");
        List<SuccessorStore.Later> later = List.of(
                new SuccessorStore.Later(lane, placed.aggregateSeq(), 0, 2, 1, now.minusHours(1), now.plusHours(1)));
        SuccessorStore successors = new SuccessorStore(outbox.dataSource(), OutboxSchema.DEFAULT);

        assertThat(successors.ranTo(later)).isEqualTo(Map.of(lane, 0L));
        try (Connection other = outbox.owner().getConnection()) {
            other.setAutoCommit(false);
            other.createStatement().execute("LOCK TABLE events.outbox_published IN ACCESS EXCLUSIVE MODE");
            assertThat(successors.ranTo(later)).isEqualTo(Map.of(lane, 2L));
            other.rollback();
        }
    }
}
