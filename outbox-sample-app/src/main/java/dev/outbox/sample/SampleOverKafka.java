package dev.outbox.sample;

import dev.outbox.sample.database.EmbeddedDatabase;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.SimpleCommandLinePropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.kafka.test.EmbeddedKafkaKraftBroker;

/**
 * Runs both services over Kafka in one process: an embedded PostgreSQL has a database for each, and an embedded broker the topics, unless
 * {@code spring.kafka.bootstrap-servers} names another broker.
 */
public final class SampleOverKafka {

    private static final String BROKERS = "spring.kafka.bootstrap-servers";

    /** At shutdown, the broker's files are deleted before it stops, about which it logs errors. */
    private static final String[] DEFAULTS = {
        "sample.transport=kafka",
        "logging.level.kafka=off",
        "logging.level.state.change.logger=off",
        "logging.level.org.apache.kafka.controller=off",
        "logging.level.org.apache.kafka.storage=off",
        "logging.level.org.springframework.kafka.test=off"
    };

    private SampleOverKafka() {}

    /**
     * Runs both services until the process is stopped.
     *
     * @param args command line arguments for both; {@code --server.port} is the port of web, and {@code --sample.worker-port} that of the
     *     worker
     */
    public static void main(String[] args) {
        try {
            start(args);
        } catch (RuntimeException ex) {
            ex.printStackTrace();
            System.exit(1); // runs the shutdown handlers, and ends the threads of the broker
        }
    }

    private static void start(String... args) {
        hideLogOfServers();
        ConfigurableEnvironment settings = new StandardEnvironment();
        settings.getPropertySources().addFirst(new SimpleCommandLinePropertySource(args));
        // A shutdown handler runs after both services have stopped; until then, they settle and commit.
        EmbeddedDatabase server = EmbeddedDatabase.start();
        SpringApplication.getShutdownHandlers().add(server::close);
        String brokers = settings.getProperty(BROKERS);
        if (brokers == null) {
            EmbeddedKafkaKraftBroker broker = startBroker();
            SpringApplication.getShutdownHandlers().add(broker::destroy);
            brokers = broker.getBrokersAsString();
        }
        run("worker", server.create("worker"), brokers, settings.getProperty("sample.worker-port", "8081"), args);
        run("web", server.create("web"), brokers, settings.getProperty("server.port"), args);
    }

    static EmbeddedKafkaKraftBroker startBroker() {
        hideLogOfServers();
        EmbeddedKafkaKraftBroker broker = new EmbeddedKafkaKraftBroker(1, 1);
        broker.afterPropertiesSet();
        return broker;
    }

    /** Hides the log until Spring Boot configures it: until then, it would have every level. */
    private static void hideLogOfServers() {
        LoggingSystem.get(SampleOverKafka.class.getClassLoader()).beforeInitialize();
    }

    /** Runs one of the services. Its settings outrank all others, such as the port that the arguments have for web. */
    static ConfigurableApplicationContext run(
            String profile, Map<String, Object> database, String brokers, @Nullable String port, String... args) {
        Map<String, Object> settings = new HashMap<>(database);
        settings.put(BROKERS, brokers);
        if (port != null) {
            settings.put("server.port", port);
        }
        return new SpringApplicationBuilder(SampleApplication.class)
                .properties(DEFAULTS)
                .profiles(profile)
                .initializers((context) -> context.getEnvironment()
                        .getPropertySources()
                        .addFirst(new MapPropertySource(profile, settings)))
                .run(args);
    }
}
