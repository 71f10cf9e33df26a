package dev.outbox.spring.changes;

import com.fasterxml.jackson.annotation.JsonAlias;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.outbox.EventType;
import dev.outbox.EventUpcaster;
import dev.outbox.OutboxHandler;
import dev.outbox.OutboxMapper;
import dev.outbox.PayloadFormat;
import java.math.BigDecimal;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.module.SimpleModule;
import tools.jackson.databind.node.ObjectNode;

/** The snippets of "Changing events": a payload and its handler in each later release. */
final class ChangingEvents {

    private ChangingEvents() {}

    static final class Recorded {

        static final List<Object> EVENTS = new CopyOnWriteArrayList<>();

        private Recorded() {}
    }

    /** The first release. */
    static final class First {

        record OrderPlaced(String orderId, BigDecimal amount) {}

        @OutboxHandler(id = "invoices")
        void on(OrderPlaced event) {
            Recorded.EVENTS.add(event);
        }
    }

    static final class Added {

        record OrderPlaced(
                String orderId, BigDecimal amount, @Nullable String coupon) {}

        @OutboxHandler(id = "invoices")
        void on(OrderPlaced event) {
            Recorded.EVENTS.add(event);
        }
    }

    static final class Removed {

        record OrderPlaced(String orderId) {}

        @OutboxHandler(id = "invoices")
        void on(OrderPlaced event) {
            Recorded.EVENTS.add(event);
        }
    }

    static final class RenamedInJava {

        record OrderPlaced(
                String orderId, @JsonProperty("amount") BigDecimal total) {}

        @OutboxHandler(id = "invoices")
        void on(OrderPlaced event) {
            Recorded.EVENTS.add(event);
        }
    }

    static final class Renamed {

        record OrderPlaced(
                String orderId, @JsonAlias("amount") BigDecimal total) {}

        @OutboxHandler(id = "invoices")
        void on(OrderPlaced event) {
            Recorded.EVENTS.add(event);
        }
    }

    static final class Widened {

        record Counted(long items) {}

        @OutboxHandler(id = "counts")
        void on(Counted event) {
            Recorded.EVENTS.add(event);
        }
    }

    static final class ClassRenamed {

        @EventType("OrderPlaced")
        record PurchaseCompleted(String orderId, BigDecimal amount) {}

        @OutboxHandler(id = "invoices")
        void on(PurchaseCompleted event) {
            Recorded.EVENTS.add(event);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Versioned {

        record Money(BigDecimal value, String currency) {}

        @EventType(version = 2)
        record OrderPlaced(String orderId, Money total) {}

        @Bean
        static EventUpcaster orderPlacedWithMoney() {
            return EventUpcaster.of("OrderPlaced", 1, 2, (json) -> {
                ObjectNode total = json.putObject("total");
                total.set("value", json.remove("amount"));
                total.put("currency", "EUR");
                return json;
            });
        }

        @OutboxHandler(id = "invoices")
        void on(OrderPlaced event) {
            Recorded.EVENTS.add(event);
        }
    }

    /** Reads version 2, and still publishes version 1 while instances of the first release run. */
    static final class ReadsNextVersion {

        @EventType(value = "OrderPlaced", version = 1, copy = true)
        record FormerOrderPlaced(String orderId, BigDecimal amount) {}

        private ReadsNextVersion() {}
    }

    static final class Split {

        sealed interface OrderEvent permits OrderPlaced, OrderPriced {}

        record OrderPlaced(String orderId, @Nullable BigDecimal amount) implements OrderEvent {}

        record OrderPriced(String orderId, BigDecimal amount) implements OrderEvent {}

        @OutboxHandler(id = "invoices")
        void on(OrderEvent event) {
            Recorded.EVENTS.add(event);
        }
    }

    static final class Trees {

        @OutboxHandler(id = "trees", eventTypes = "OrderPlaced")
        void on(JsonNode event) {
            Recorded.EVENTS.add(event);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnFormat {

        @Bean
        @OutboxMapper
        static JsonMapper payloadMapper() {
            return PayloadFormat.builder().addModule(new SimpleModule("money")).build();
        }
    }
}
