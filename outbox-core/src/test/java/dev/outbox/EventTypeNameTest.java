package dev.outbox;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EventTypeNameTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "OrderPlaced",
                "orderPlaced",
                "order.placed.v1",
                "order-placed",
                "ORDER_PLACED",
                "com.example.orders.OrderPlaced",
                "x",
                "v1.",
                "a..b"
            })
    void acceptsLettersDigitsDotsUnderscoresAndHyphens(String name) {
        assertThat(EventTypeName.isValid(name)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "*",
                "1order",
                ".order",
                "-order",
                "_order",
                "order placed",
                "order,placed",
                "order/placed",
                "order*",
                "order$placed",
                "Größe",
                "order\n"
            })
    void refusesOtherCharactersAndBeginnings(String name) {
        assertThat(EventTypeName.isValid(name)).isFalse();
    }

    @Test
    void longestTypeHas255Characters() {
        assertThat(EventTypeName.isValid("a".repeat(255))).isTrue();
        assertThat(EventTypeName.isValid("a".repeat(256))).isFalse();
    }
}
