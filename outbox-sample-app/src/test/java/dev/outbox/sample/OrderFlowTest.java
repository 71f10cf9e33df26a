package dev.outbox.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import dev.outbox.testing.OpenTransaction;
import io.micrometer.core.instrument.MeterRegistry;
import java.sql.SQLException;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Orders reach their courier once and in order, despite duplicates, gaps and lost answers. */
@SampleTest
class OrderFlowTest {

    @LocalServerPort
    private int port;

    @Autowired
    private JdbcClient jdbc;

    @Autowired
    private DataSource dataSource;

    @Autowired
    private MeterRegistry meters;

    private Api api;

    @BeforeEach
    void connect() {
        api = new Api(port);
    }

    @Test
    void orderIsFollowedToItsParcel() {
        String order = place("teapot");
        api.put("/orders/" + order + "/item", "{\"item\": \"kettle\"}");
        pay(order);

        assertThat(api.awaitPublished()).containsExactly("OrderPlaced", "OrderItemChanged", "OrderPaid");
        assertThat(api.events()).extracting("aggregateSeq").containsExactly(1, 2, 3);
        assertThat(api.find("/fulfilments/" + order))
                .containsEntry("item", "kettle")
                .containsEntry("status", "ready")
                .containsEntry("lastSeq", 3)
                .containsEntry("parcels", 1);
        assertThat(api.find("/sales/kettle")).containsEntry("sold", 1);
    }

    @Test
    void orderThatIsCanceledIsStopped() {
        String order = place("vase");
        api.delete("/orders/" + order);

        assertThat(api.awaitPublished()).containsExactly("OrderPlaced", "OrderCanceled");
        assertThat(api.find("/fulfilments/" + order))
                .containsEntry("status", "stopped")
                .containsEntry("parcels", 0);
        assertThat(api.post("/orders/" + order + "/payment", "").getStatusCode())
                .isEqualTo(HttpStatus.CONFLICT);
    }

    @Test
    void crashBetweenHandlersAndOutcomeIsAbsorbed() throws SQLException {
        double lost = leasesLost();
        String order = place("lamp");
        api.awaitPublished();
        try (OpenTransaction gate = OpenTransaction.of(dataSource)) {
            // The last handler of the payment, which counts sales, waits here, and its worker loses the claim as if its
            // process had died.
            gate.run("INSERT INTO fulfilment.sales (item, sold) VALUES ('lamp', 0)");
            pay(order);
            await().atMost(Api.DEADLINE).until(() -> isProcessing("OrderPaid"));
            await().atMost(Api.DEADLINE).until(this::aHandlerWaits);
            assertThat(dropClaims()).isOne();
        }

        api.awaitPublished();

        assertThat(leasesLost()).isEqualTo(lost + 1);
        assertThat(api.find("/fulfilments/" + order))
                .containsEntry("status", "ready")
                .containsEntry("lastSeq", 2)
                .containsEntry("parcels", 1)
                .containsEntry("courierRequests", 2);
        assertThat(api.find("/sales/lamp")).containsEntry("sold", 1);
        assertThat(meters.get("outbox.deduplicated")
                        .tag("handler", "fulfilment.stock")
                        .counter()
                        .count())
                .isPositive();
    }

    @Test
    void lostAnswersBookNoSecondParcel() {
        String order = place("mirror");
        api.gateway("courier", "LOSE_ANSWER");
        try {
            pay(order);
            await().atMost(Api.DEADLINE)
                    .untilAsserted(() -> assertThat(api.events())
                            .extracting("eventType", "lastErrorCode")
                            .contains(tuple("OrderPaid", "GatewayException")));
        } finally {
            api.delete("/demo/faults");
        }

        assertThat(api.awaitPublished()).containsExactly("OrderPlaced", "OrderPaid");
        Map<String, Object> paid = api.events().get(1);
        assertThat(api.find("/fulfilments/" + order))
                .containsEntry("parcels", 1)
                .containsEntry("courierRequests", (int) paid.get("retryCount") + 1);
    }

    private String place(String item) {
        return api.create("/orders", "{\"item\": \"" + item + "\"}", "$.id");
    }

    private void pay(String order) {
        api.create("/orders/" + order + "/payment", "", "$.id");
    }

    private boolean aHandlerWaits() {
        return jdbc.sql("SELECT count(*) FROM pg_stat_activity"
                                + " WHERE datname = current_database() AND wait_event_type = 'Lock'")
                        .query(Integer.class)
                        .single()
                > 0;
    }

    private int dropClaims() {
        return jdbc.sql("DELETE FROM events.outbox_claim WHERE stream = 'orders'")
                .update();
    }

    private boolean isProcessing(String eventType) {
        return api.events().stream()
                .anyMatch((event) -> event.get("eventType").equals(eventType)
                        && event.get("status").equals("PROCESSING"));
    }

    private double leasesLost() {
        return meters.find("outbox.lease.lost").tag("stream", "orders").counters().stream()
                .mapToDouble((counter) -> counter.count())
                .sum();
    }
}
