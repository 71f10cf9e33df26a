package dev.outbox.sample;

import dev.outbox.sample.eventbus.InWorker;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.TypeExcludeFilter;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.context.annotation.ComponentScan;
import org.springframework.context.annotation.ComponentScan.Filter;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.FilterType;
import org.springframework.context.annotation.Import;

/** Runs the service: all contexts, or over Kafka those of one of the two services, which {@code sample.service} names. */
@ConfigurationPropertiesScan
@SpringBootApplication(
        proxyBeanMethods = false,
        scanBasePackages = {
            "dev.outbox.sample.adapters",
            "dev.outbox.sample.audit",
            "dev.outbox.sample.backtest",
            "dev.outbox.sample.demo",
            "dev.outbox.sample.eventbus",
            "dev.outbox.sample.operations",
            "dev.outbox.sample.trading",
            "dev.outbox.sample.web"
        })
@Import({Jobs.class, Welcome.class})
public class SampleApplication {

    /**
     * Runs the service until it is stopped.
     *
     * @param args command line arguments, such as {@code --server.port=9090}
     */
    public static void main(String[] args) {
        SpringApplication.run(SampleApplication.class, args);
    }

    /** Contexts that only the service {@code web} has. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnProperty(name = "sample.service", havingValue = "web", matchIfMissing = true)
    @ComponentScan(
            basePackages = {
                "dev.outbox.sample.billing",
                "dev.outbox.sample.control",
                "dev.outbox.sample.discord",
                "dev.outbox.sample.fulfilment",
                "dev.outbox.sample.guild",
                "dev.outbox.sample.identity",
                "dev.outbox.sample.licensing",
                "dev.outbox.sample.member",
                "dev.outbox.sample.notice",
                "dev.outbox.sample.notification",
                "dev.outbox.sample.ordering",
                "dev.outbox.sample.recovery",
                "dev.outbox.sample.reservation"
            },
            excludeFilters = @Filter(type = FilterType.CUSTOM, classes = TypeExcludeFilter.class))
    static class Web {}

    /** Context that only the service {@code worker} has. */
    @Configuration(proxyBeanMethods = false)
    @InWorker
    @ComponentScan(
            basePackages = "dev.outbox.sample.push",
            excludeFilters = @Filter(type = FilterType.CUSTOM, classes = TypeExcludeFilter.class))
    static class Worker {}
}
