package dev.outbox.internal.registry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.outbox.fixture.TestOutbox;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The rule by which handlers take events, in Java and in SQL. */
class SubscriptionTest {

    private static final List<String> TYPES =
            List.of("*", "OrderPlaced", "OrderPaid", "outbox.Own", "outbox", "outboxed");
    private static final List<String> AGGREGATE_TYPES = List.of("*", "order", "invoice");
    private static final List<String> STREAMS = List.of("*", "default", "bulk");
    private static final List<String> SOURCES = List.of("*", "OWN", "RECEIVED");

    @Test
    void javaAndSqlAgree() {
        List<Subscription> all = new ArrayList<>();
        TYPES.forEach((type) -> AGGREGATE_TYPES.forEach((aggregateType) -> STREAMS.forEach((stream) ->
                SOURCES.forEach((source) -> all.add(new Subscription(type, aggregateType, stream, source))))));
        List<Boolean> inJava =
                all.stream().flatMap((one) -> all.stream().map(one::takes)).toList();

        try (TestOutbox outbox = TestOutbox.create()) {
            List<Boolean> inSql = outbox.sql()
                    .sql("SELECT " + Subscriptions.takes("x").replace("{schema}", "events") + " FROM " + rows("s")
                            + " CROSS JOIN " + rows("x") + " ORDER BY s.place, x.place")
                    .param(
                            "types",
                            texts(all.stream().map(Subscription::eventType).toList()))
                    .param(
                            "aggregate_types",
                            texts(all.stream().map(Subscription::aggregateType).toList()))
                    .param(
                            "streams",
                            texts(all.stream().map(Subscription::stream).toList()))
                    .param(
                            "sources",
                            texts(all.stream().map(Subscription::source).toList()))
                    .query(Boolean.class)
                    .list();

            assertThat(inSql).hasSize(all.size() * all.size());
            assertThat(IntStream.range(0, inSql.size())
                            .filter((i) -> !inSql.get(i).equals(inJava.get(i)))
                            .mapToObj((i) -> all.get(i / all.size()) + " / " + all.get(i % all.size())))
                    .isEmpty();
        }
    }

    private static String rows(String alias) {
        return "unnest(string_to_array(:types, ' '), string_to_array(:aggregate_types, ' '), string_to_array(:streams, ' '),"
                + " string_to_array(:sources, ' ')) WITH ORDINALITY AS " + alias
                + " (event_type, aggregate_type, stream, source, place)";
    }

    private static String texts(List<String> values) {
        return String.join(" ", values);
    }

    @Test
    void anyTypeLeavesOutThoseOfTheLibrary() {
        Subscription stored = Subscription.of("outbox.KafkaRecord", "outbox.KafkaRecord", "default", false);

        assertThat(Subscription.ofType("*").takes(stored)).isFalse();
        assertThat(Subscription.ofType("outbox.KafkaRecord").takes(stored)).isTrue();
    }

    @Test
    void namesWhatRestrictsTheEvents() {
        assertThat(Subscription.ofType("OrderPlaced")).hasToString("OrderPlaced");
        assertThat(new Subscription("*", "order", "bulk", "OWN")).hasToString("own * of order in stream bulk");
    }
}
