package dev.outbox.sample;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.TypeExcludeFilter;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.core.type.classreading.MetadataReader;
import org.springframework.core.type.classreading.MetadataReaderFactory;

/** Leaves out the parts of the service that run in another process: the classes whose names begin as {@code sample.leave-out} says. */
final class LeaveOut implements ApplicationContextInitializer<ConfigurableApplicationContext> {

    private static final String SERVICE = LeaveOut.class.getPackageName() + ".";

    @Override
    public void initialize(ConfigurableApplicationContext context) {
        Environment environment = context.getEnvironment();
        List<String> beginnings = Binder.get(environment)
                .bind("sample.leave-out", Bindable.listOf(String.class))
                .orElse(List.of());
        boolean overKafka = "kafka".equals(environment.getProperty("sample.transport"));
        if (overKafka && beginnings.isEmpty()) {
            throw new IllegalStateException("sample.transport=kafka divides the service into two processes:"
                    + " set spring.profiles.active=web for one, and spring.profiles.active=worker for the other");
        }
        context.getBeanFactory().registerSingleton("leaveOut", new Filter(beginnings));
    }

    /** Excludes classes from the scan for components. */
    private static final class Filter extends TypeExcludeFilter {

        private final List<String> beginnings;

        Filter(List<String> beginnings) {
            this.beginnings = beginnings;
        }

        @Override
        public boolean match(MetadataReader reader, MetadataReaderFactory readers) {
            String name = reader.getClassMetadata().getClassName();
            return beginnings.stream().anyMatch((beginning) -> name.startsWith(SERVICE + beginning));
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Filter filter && filter.beginnings.equals(beginnings);
        }

        @Override
        public int hashCode() {
            return beginnings.hashCode();
        }
    }
}
