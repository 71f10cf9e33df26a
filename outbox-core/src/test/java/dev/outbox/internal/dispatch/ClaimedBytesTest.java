package dev.outbox.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.fixture.BulkRows;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.dispatch.Dispatcher.DueDelivery;
import dev.outbox.internal.lane.LaneSteps;
import dev.outbox.internal.registry.ActiveHandlers;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How many bytes of payloads one claim of redeliveries takes. */
class ClaimedBytesTest {

    @RegisterExtension
    private final TestOutbox outbox = TestOutbox.create();

    @BeforeEach
    void addStream() throws SQLException {
        outbox.addStream("default");
    }

    @ParameterizedTest
    @CsvSource({"20, 1, 1000000, 8", "2, 1, 10000000, 1", "50, 4, 100, 200"})
    void claimTakesEightMegabytesOrOneDelivery(int lanes, int length, int bytes, int claimed) throws SQLException {
        addLanes(lanes, length, bytes);

        assertThat(claim()).hasSize(claimed);
    }

    @Test
    void followersAreTakenInOrderOnly() throws SQLException {
        addLanes(3, 4, 1_000_000);

        assertThat(claim())
                .extracting((one) ->
                        one.envelope().aggregateId() + " " + one.envelope().sequence())
                .containsExactly("0 1", "0 2", "0 3", "0 4", "1 1", "1 2", "1 3", "1 4");
    }

    private List<DueDelivery> claim() throws SQLException {
        return new LaneSteps(outbox).claimDue(50, ActiveHandlers.ofAllTypes("mail"));
    }

    private void addLanes(int lanes, int length, int bytes) {
        outbox.sql()
                .sql("""
                        INSERT INTO events.outbox_unpublished (aggregate_type, aggregate_id, aggregate_seq, event_type, payload)
                        SELECT 'order', lane::text, place, 'OrderPlaced', jsonb_build_object('note', repeat('x', :bytes))
                          FROM generate_series(0, :lanes - 1) lane
                         CROSS JOIN generate_series(1, :length) place
                        """)
                .param("bytes", bytes)
                .param("lanes", lanes)
                .param("length", length)
                .update();
        new BulkRows(outbox).queue("now() - interval '1 s'");
    }
}
