package dev.outbox.sample;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.Map;
import java.util.UUID;

/** Trades above the limit, each of which is a dead letter at once. */
final class DeadTrades {

    private DeadTrades() {}

    /** Returns the event of a new dead letter, after its dead-letter method, which holds its lock. */
    static Map<String, Object> next(Api api) {
        api.put("/settings/max-volume", "{\"volume\": 100}");
        await().atMost(Api.DEADLINE)
                .untilAsserted(() -> assertThat(last(api, "SettingChanged")).containsEntry("status", "PUBLISHED"));
        String intent = api.create("/signals", """
                {"ownerId": "o", "strategyKey": "EXTREME_FLIP", "market": "KRW-%s", "side": "BUY", "volume": 101}
                """.formatted(UUID.randomUUID()), "$.orderIntentId");
        await().atMost(Api.DEADLINE)
                .untilAsserted(() -> assertThat(last(api, "CreateOrderAttempt")).containsEntry("status", "DEAD"));
        await().atMost(Api.DEADLINE)
                .untilAsserted(
                        () -> assertThat(api.find("/order-intents/" + intent)).containsEntry("status", "HALTED"));
        return last(api, "CreateOrderAttempt");
    }

    private static Map<String, Object> last(Api api, String eventType) {
        List<Map<String, Object>> events = api.events().stream()
                .filter((event) -> event.get("eventType").equals(eventType))
                .toList();
        return events.get(events.size() - 1);
    }
}
