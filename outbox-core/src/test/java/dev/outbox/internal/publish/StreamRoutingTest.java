package dev.outbox.internal.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.outbox.EventEnvelope;
import dev.outbox.OutboxEvent;
import dev.outbox.fixture.Orders.OrderPaid;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.poll.PollerSettings;
import dev.outbox.internal.publish.PublisherSettings.StreamRouting;
import dev.outbox.internal.publish.PublisherSettings.Unrouted;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class StreamRoutingTest {

    private static final StreamRouting ROUTING =
            StreamRouting.NONE.with("mail", List.of("notice")).with("trade", List.of("order"));

    @Test
    void aggregateTypeWithoutRuleGoesToTheDefault() {
        assertThat(ROUTING.streamOf("notice")).isEqualTo("mail");
        assertThat(ROUTING.streamOf("order")).isEqualTo("trade");
        assertThat(ROUTING.streamOf("parcel")).isEqualTo("default");
        assertThat(StreamRouting.NONE.streamOf("notice")).isEqualTo("default");
        assertThat(ROUTING.streams()).isEqualTo(Set.of("mail", "trade"));
    }

    @Test
    void typeBelongsToOneStream() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ROUTING.with("other", List.of("notice")))
                .withMessage("aggregateTypes of stream 'other' must not hold what stream 'mail' takes: notice");
        assertThat(ROUTING.with("mail", List.of("notice", "notice"))).isEqualTo(ROUTING);
    }

    @Test
    void typeThatNoEventCanHaveIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ROUTING.with("other", List.of(" ")))
                .withMessageContaining("aggregateTypes must not be blank");
    }

    @Test
    void eventTravelsInTheStreamOfItsAggregateTypeUnlessItNamesOne() {
        try (TestOutbox outbox =
                TestOutbox.create().publisher(settings()).stream("mail", PollerSettings.defaults()).stream(
                        "trade", PollerSettings.defaults())) {
            List<EventEnvelope> published = outbox.inTransaction(() -> outbox.publisher()
                    .publishAll(List.of(
                            OutboxEvent.of("order", "1", new OrderPlaced(1)),
                            OutboxEvent.of("order", "1", new OrderPaid(2)),
                            OutboxEvent.of("notice", "1", new OrderPlaced(3)),
                            OutboxEvent.of("parcel", "1", new OrderPlaced(4)),
                            OutboxEvent.of("notice", "1", new OrderPaid(5)).inStream("default"))));
            EventEnvelope single =
                    outbox.inTransaction(() -> outbox.publisher().publish("notice", "2", new OrderPlaced(6)));

            assertThat(published)
                    .extracting(EventEnvelope::stream)
                    .containsExactly("trade", "trade", "mail", "default", "default");
            assertThat(single.stream()).isEqualTo("mail");
            assertThat(outbox.values(String.class, "SELECT stream FROM events.outbox ORDER BY payload ->> 'number'"))
                    .containsExactly("trade", "trade", "mail", "default", "default", "mail");
        }
    }

    @Test
    void outboxDoesNotSendEventsToStreamsThatItDoesNotKnow() {
        try (TestOutbox outbox = TestOutbox.create().publisher(settings()).stream("mail", PollerSettings.defaults())) {
            assertThatIllegalArgumentException()
                    .isThrownBy(outbox::runtime)
                    .withMessage("routing must lead to configured streams: [trade]");
        }
    }

    private static PublisherSettings settings() {
        return new PublisherSettings(1000, Unrouted.WARN, ROUTING);
    }
}
