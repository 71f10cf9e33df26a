package dev.outbox.spring.autoconfigure;

import java.util.Arrays;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.env.Environment;

/** Reason why an application has no outbox, and the remedy. Reads bean definitions, because a failed context loses its conditions. */
record MissingOutbox(String reason, String action) {

    private static final String ENABLED = "outbox.enabled";

    /** Returns whether the application has turned the outbox off. */
    static boolean isFalse(Environment environment) {
        return environment.getProperty(ENABLED, "true").strip().equalsIgnoreCase("false");
    }

    static MissingOutbox explain(ConfigurableListableBeanFactory beanFactory, Environment environment) {
        String enabled = environment.getProperty(ENABLED, "true");
        if (isFalse(environment)) {
            return new MissingOutbox("outbox.enabled is false", "Set outbox.enabled=true.");
        }
        if (!enabled.strip().equalsIgnoreCase("true")) {
            return new MissingOutbox(
                    "outbox.enabled is '" + enabled + "', neither true nor false", "Set outbox.enabled=true.");
        }
        if (beanFactory.getBeanNamesForType(MissingOutboxAutoConfiguration.class, true, false).length == 0) {
            return new MissingOutbox(
                    "this context does not include OutboxAutoConfiguration, for example because it is a test slice such as @DataJpaTest",
                    "Add @AutoConfigureOutbox (outbox-spring-boot-starter-test) to the test, or use @SpringBootTest.");
        }
        List<String> dataSources = Arrays.asList(beanFactory.getBeanNamesForType(DataSource.class, true, false));
        if (dataSources.isEmpty()) {
            return new MissingOutbox(
                    "there is no DataSource",
                    "Set spring.datasource.url to a PostgreSQL database, or define a DataSource bean.");
        }
        if (dataSources.size() > 1 && dataSources.stream().noneMatch((name) -> isPrimary(beanFactory, name))) {
            return new MissingOutbox(
                    "there are several DataSource beans, " + dataSources + ", and none is primary",
                    "Mark the DataSource of the outbox with @OutboxDataSource, or one of them with @Primary.");
        }
        return new MissingOutbox("OutboxAutoConfiguration is excluded", "Remove the exclusion.");
    }

    private static boolean isPrimary(ConfigurableListableBeanFactory beanFactory, String name) {
        return beanFactory.containsBeanDefinition(name)
                && beanFactory.getMergedBeanDefinition(name).isPrimary();
    }
}
