package shop;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.kafka.test.EmbeddedKafkaBroker;
import org.springframework.kafka.test.EmbeddedKafkaKraftBroker;
import warehouse.WarehouseApplication;

/** A broker and both services in one process. The test kit creates a database for each service. */
final class TwoServices implements AutoCloseable {

    private final EmbeddedKafkaBroker broker = new EmbeddedKafkaKraftBroker(1, 1, "shop.orders", "warehouse.parcels");
    private final ConfigurableApplicationContext warehouse;
    private final ConfigurableApplicationContext shop;

    private TwoServices() {
        broker.afterPropertiesSet();
        // Runs after both services have stopped.
        SpringApplication.getShutdownHandlers().add(broker::destroy);
        String[] arguments = {
            "--spring.kafka.bootstrap-servers=" + broker.getBrokersAsString(),
            "--logging.include-application-name=false"
        };
        warehouse = SpringApplication.from(WarehouseApplication::main)
                .run(arguments)
                .getApplicationContext();
        shop = SpringApplication.from(ShopApplication::main).run(arguments).getApplicationContext();
    }

    public static void main(String... args) {
        start();
    }

    static TwoServices start() {
        TwoServices services = new TwoServices();
        services.orders().place("1", "lamp");
        return services;
    }

    Orders orders() {
        return shop.getBean(Orders.class);
    }

    @Override
    public void close() {
        shop.close();
        warehouse.close();
    }
}
