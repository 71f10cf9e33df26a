package shop;

import java.util.List;
import org.springframework.boot.CommandLineRunner;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.kafka.autoconfigure.KafkaConnectionDetails;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.kafka.test.EmbeddedKafkaBroker;
import org.springframework.kafka.test.EmbeddedKafkaKraftBroker;

/** The shop with a broker and a warehouse, in one process. */
@TestConfiguration(proxyBeanMethods = false)
@Import(Warehouse.class)
class TestShopApplication {

    public static void main(String... args) {
        start(args);
    }

    static SpringApplication.Running start(String... args) {
        return SpringApplication.from(ShopApplication::main)
                .with(TestShopApplication.class)
                .run(args);
    }

    @Bean
    EmbeddedKafkaBroker broker() {
        return new EmbeddedKafkaKraftBroker(1, 1, "shop.orders", "warehouse.parcels");
    }

    @Bean
    KafkaConnectionDetails kafka(EmbeddedKafkaBroker broker) {
        return () -> List.of(broker.getBrokersAsString().split(","));
    }

    @Bean
    CommandLineRunner firstOrder(Orders orders) {
        return (arguments) -> orders.place("1", "lamp");
    }
}
