package dev.outbox.sample;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;

/** Runs the service. */
@ConfigurationPropertiesScan
@SpringBootApplication(proxyBeanMethods = false)
public class SampleApplication {

    /**
     * Runs the service until it is stopped.
     *
     * @param args command line arguments, such as {@code --server.port=9090}
     */
    public static void main(String[] args) {
        SpringApplication.run(SampleApplication.class, args);
    }
}
