import com.sun.tools.attach.VirtualMachine;
import java.util.Arrays;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServerConnection;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import javax.management.openmbean.TabularData;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/**
 * Prints what another JVM of this machine has in JMX domains: `java ReadMetrics.java PID DOMAIN…`. A line for each attribute: object
 * name, attribute, value, with tabs between them.
 */
class ReadMetrics {
  public static void main(String[] arguments) throws Exception {
    VirtualMachine machine = VirtualMachine.attach(arguments[0]);
    String url = machine.startLocalManagementAgent();
    machine.detach();
    try (JMXConnector connector = JMXConnectorFactory.connect(new JMXServiceURL(url))) {
      MBeanServerConnection server = connector.getMBeanServerConnection();
      for (int i = 1; i < arguments.length; i++)
        for (ObjectName name : server.queryNames(new ObjectName(arguments[i] + ":*"), null))
          for (MBeanAttributeInfo attribute : server.getMBeanInfo(name).getAttributes())
            System.out.println(name.getKeyPropertyListString() + "\t" + attribute.getName() + "\t" + read(server, name, attribute));
    }
  }

  /** In one line; an array by its elements, a map as `key=value`. */
  private static String read(MBeanServerConnection server, ObjectName name, MBeanAttributeInfo attribute) throws Exception {
    Object value = server.getAttribute(name, attribute.getName());
    String text = String.valueOf(value);
    if (value instanceof Object[]) text = Arrays.toString((Object[]) value);
    if (value instanceof TabularData) {
      text = "";
      for (Object row : ((TabularData) value).values())
        text += ((CompositeData) row).get("key") + "=" + ((CompositeData) row).get("value") + " ";
    }
    return text.replaceAll("\\s", " ");
  }
}
