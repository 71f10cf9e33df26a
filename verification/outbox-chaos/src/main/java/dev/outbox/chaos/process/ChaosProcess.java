package dev.outbox.chaos.process;

import dev.outbox.HandlerDefinition;
import dev.outbox.OutboxPublisher;
import dev.outbox.chaos.history.FactWriter;
import dev.outbox.internal.retention.RetentionSettings;
import dev.outbox.internal.runtime.RuntimeSettings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.PlatformTransactionManager;

/** One process of a chaos run: an ordinary Spring Boot application on the starter, which obeys lines on its standard input. */
@SpringBootConfiguration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import({PublishingProcess.class, WorkingProcess.class, ForwardingProcess.class, ReceivingProcess.class})
public class ChaosProcess {

    /** Property with the name of this life of the process. */
    public static final String NAME = "chaos.name";

    /** Property with the role: {@code publisher}, {@code worker}, {@code forwarder} or {@code receiver}. */
    public static final String ROLE = "chaos.role";

    /** Property with the version of a worker, 1 or 2. */
    public static final String VERSION = "chaos.version";

    /** Property of a worker that says whether it has the handler of billing. */
    public static final String BILLING = "chaos.billing";

    /** Property with the directory of the facts. */
    public static final String DIRECTORY = "chaos.directory";

    /** Property with the seed of the traffic. */
    public static final String SEED = "chaos.seed";

    /** Property of a publisher with the number of its aggregates that have few events each. */
    public static final String AGGREGATES = "chaos.aggregates";

    /** Property of a publisher that says whether it schedules some of its events; another service does not see those that wait. */
    public static final String SCHEDULES = "chaos.schedules";

    /** Ends the name of the empty file that says that a process is ready. */
    public static final String READY = ".ready";

    /** Starts the application and obeys until its standard input ends, which happens when its parent dies. */
    public static void main(String... arguments) throws IOException {
        SpringApplication application = new SpringApplication(ChaosProcess.class);
        application.setDefaultProperties(Map.of("spring.config.name", "chaos-process"));
        ConfigurableApplicationContext context = application.run(arguments);
        Environment environment = context.getEnvironment();
        String name = environment.getRequiredProperty(NAME);
        context.getBean(Registrations.class).await();
        Files.createFile(Path.of(environment.getRequiredProperty(DIRECTORY), name + READY));
        Commands commands = context.getBean(Commands.class);
        try (BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            String line;
            while ((line = input.readLine()) != null && !line.equals(Commands.STOP)) {
                commands.execute(line);
            }
            if (line == null) {
                Runtime.getRuntime().halt(1);
            }
        }
        context.close();
    }

    @Bean
    FactWriter facts(Environment environment) {
        return FactWriter.open(
                Path.of(environment.getRequiredProperty(DIRECTORY)), environment.getRequiredProperty(NAME));
    }

    /** Removes published events after the time of a run, for which the property of the starter has no value. */
    @Bean
    static BeanPostProcessor shortHistory(Environment environment) {
        Duration published = DurationStyle.detectAndParse(environment.getRequiredProperty("chaos.published"));
        return new BeanPostProcessor() {
            @Override
            public Object postProcessAfterInitialization(Object bean, String name) {
                return bean instanceof RuntimeSettings settings ? withHistoryOf(published, settings) : bean;
            }
        };
    }

    private static RuntimeSettings withHistoryOf(Duration published, RuntimeSettings settings) {
        RetentionSettings retention = settings.retention();
        return new RuntimeSettings(
                settings.schemas(),
                settings.publisher(),
                settings.polling(),
                settings.dispatch(),
                new RetentionSettings(published, retention.archive(), retention.received(), retention.batchSize()));
    }

    @Bean
    Publisher publisher(
            OutboxPublisher outbox, PlatformTransactionManager transactions, JdbcTemplate jdbc, FactWriter facts) {
        return new Publisher(() -> outbox, transactions, jdbc, facts);
    }

    @Bean
    Traffic traffic(Environment environment) {
        return new Traffic(
                environment.getRequiredProperty(SEED, Long.class),
                environment.getProperty(AGGREGATES, Integer.class, Traffic.COLD_AGGREGATES),
                environment.getProperty(SCHEDULES, Boolean.class, true));
    }

    @Bean
    SkewedClock clock() {
        return new SkewedClock();
    }

    @Bean
    StallWatch stallWatch(FactWriter facts) {
        return new StallWatch(facts);
    }

    @Bean
    Registrations registrations(ObjectProvider<HandlerDefinition> handlers, JdbcTemplate jdbc, FactWriter facts) {
        return new Registrations(handlers.stream().toList(), jdbc, facts);
    }

    @Bean
    PoolExhaustion poolExhaustion(DataSource dataSource) {
        return new PoolExhaustion(dataSource);
    }
}
