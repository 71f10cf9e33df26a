package dev.outbox.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.http.HttpStatus;

/** Orders reach their courier once and in order, despite duplicates, gaps and lost answers. */
@SampleTest
class OrderFlowTest {

    @Autowired
    private Api api;

    @Test
    void orderIsFollowedToItsParcel() {
        String order = api.order("teapot");
        api.put("/orders/" + order + "/item", "{\"item\": \"kettle\"}");
        api.pay(order);

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
        String order = api.order("vase");
        api.delete("/orders/" + order);

        assertThat(api.awaitPublished()).containsExactly("OrderPlaced", "OrderCanceled");
        assertThat(api.find("/fulfilments/" + order))
                .containsEntry("status", "stopped")
                .containsEntry("parcels", 0);
        assertThat(api.post("/orders/" + order + "/payment", "").getStatusCode())
                .isEqualTo(HttpStatus.CONFLICT);
    }

    @Test
    void lostAnswersBookNoSecondParcel() {
        String order = api.order("mirror");
        api.gateway("courier", "LOSE_ANSWER");
        api.pay(order);
        await().atMost(Api.DEADLINE)
                .untilAsserted(() -> assertThat(api.events())
                        .extracting("eventType", "lastErrorCode")
                        .contains(tuple("OrderPaid", "GatewayException")));
        api.delete("/demo/faults");

        assertThat(api.awaitPublished()).containsExactly("OrderPlaced", "OrderPaid");
        Map<String, Object> paid = api.events().get(1);
        assertThat(api.find("/fulfilments/" + order))
                .containsEntry("parcels", 1)
                .containsEntry("courierRequests", (int) paid.get("retryCount") + 1);
    }
}
