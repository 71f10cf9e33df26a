package dev.outbox.modulith.externalization;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.outbox.Outboxed;
import dev.outbox.testing.TestDatabase;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.messaging.support.MessageBuilder;
import org.springframework.modulith.events.EventExternalizationConfiguration;
import org.springframework.modulith.events.Externalized;
import org.springframework.transaction.annotation.Transactional;

/** Application as Spring Modulith's users write it. Its one route is what the outbox needs. */
@SpringBootConfiguration
@EnableAutoConfiguration
class Shop {

    /** Keyed, and mapped for consumers. */
    @Externalized("orders::#{#this.customer()}")
    record OrderPlaced(String customer, int number) {}

    /** What consumers get of an order. */
    record OrderMessage(String buyer, int order) {}

    /** Without a key. */
    @Externalized("news")
    record SaleAnnounced(String text) {}

    /** Its mapping returns a message. */
    @Externalized("orders::#{#this.customer()}")
    record OrderShipped(String customer) {}

    /** Its mapping fails. */
    @Externalized("orders::#{#this.customer()}")
    record OrderLost(String customer) {}

    /** Adds headers of its kind. */
    @Externalized("orders::#{#this.kind()}")
    record OrderTagged(String kind) {}

    /** Its target and its key are expressions. */
    @Externalized("#{#this.target()}::#{#this.key().trim()}")
    record OrderRouted(String target, String key) {}

    /** The mark determines the aggregate. */
    @Outboxed(aggregateType = "customer", aggregateId = "id")
    @Externalized("orders::#{#this.name()}")
    record CustomerMoved(String id, String name) {}

    /** No route takes its target. */
    @Externalized("archive::1")
    record OrderArchived(int number) {}

    /** Not externalized. */
    record OrderSeen(int number) {}

    static class Orders {

        private final ApplicationEventPublisher events;

        Orders(ApplicationEventPublisher events) {
            this.events = events;
        }

        @Transactional
        public void publish(Object... published) {
            for (Object event : published) {
                events.publishEvent(event);
            }
        }

        @Transactional
        public void fail(Object published) {
            events.publishEvent(published);
            throw new IllegalStateException("rolled back");
        }

        public void publishWithoutTransaction(Object published) {
            events.publishEvent(published);
        }
    }

    @Bean
    Orders orders(ApplicationEventPublisher events) {
        return new Orders(events);
    }

    @Bean
    EventExternalizationConfiguration externalization() {
        return EventExternalizationConfiguration.externalizing()
                .select(EventExternalizationConfiguration.annotatedAsExternalized())
                .mapping(OrderPlaced.class, (event) -> new OrderMessage(event.customer(), event.number()))
                .mapping(
                        OrderShipped.class,
                        (event) -> MessageBuilder.withPayload(Map.of("shipped", true))
                                .setHeader("carrier", "post")
                                .build())
                .mapping(OrderLost.class, (event) -> {
                    throw new IllegalStateException("secret of " + event.customer());
                })
                .headers(OrderMessage.class, (message) -> Map.of("order", message.order()))
                .headers(OrderTagged.class, (event) -> {
                    Map<String, Object> headers = new HashMap<>();
                    headers.put("tag", event.kind().getBytes(UTF_8));
                    headers.put("none", null);
                    headers.put(event.kind(), 1);
                    return headers;
                })
                .build();
    }

    static ConfigurableApplicationContext start(TestDatabase database, String... properties) {
        List<String> all = new ArrayList<>(List.of(
                "--spring.datasource.url=" + database.jdbcUrl(),
                "--spring.datasource.username=" + database.username(),
                "--spring.datasource.password=" + database.password(),
                "--spring.modulith.events.externalization.mode=outbox",
                "--spring.modulith.events.jdbc.schema-initialization.enabled=true",
                "--outbox.poller.interval=200ms",
                "--outbox.forwarding.source=/shop"));
        all.addAll(List.of(properties));
        return new SpringApplicationBuilder(Shop.class)
                .web(WebApplicationType.NONE)
                .run(all.toArray(String[]::new));
    }
}
