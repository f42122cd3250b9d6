// Three workloads of ns-3's TCP, for packets per CPU second: workloads NAME [--count] [--routing=static|nix] [--scale=N].
//
//   dumbbell   8 pairs; cables of 1 Gbit/s and 1 us, between two routers 1 Gbit/s and 10 ms with a queue of 2.5 MB;
//              10 MB per pair
//   alltoall   64 hosts on one router, 1 Gbit/s and 25 us, queues of 8 MB (nothing is dropped); 64 KiB per ordered pair
//   incast     32 hosts send 1 MB each to one host, over one router, 1 Gbit/s and 25 us, queues of 96 KB: drops
//
// Prints name,CPU seconds,data segments that hosts received,frames on all links,drops,simulated seconds. Tracing costs time, therefore
// segments, frames and drops are counted by a second run (--count), which simulates the same.
//
// All that is known to make ns-3 fast without changing the traffic is used: no queueing discipline above the devices, no checksums,
// a default route per host (or nix-vector routing), no tracing, no logging.

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/network-module.h"
#include "ns3/nix-vector-routing-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#include <iostream>
#include <sys/resource.h>

using namespace ns3;

namespace
{

constexpr uint16_t PORT = 5000;
constexpr uint32_t LARGEST_ACKNOWLEDGEMENT = 100;

struct Counts
{
    uint64_t segments = 0, frames = 0, drops = 0;
    double last = 0;
} counts;

double
CpuSeconds()
{
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_utime.tv_sec + usage.ru_stime.tv_sec + 1e-6 * (usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

void
Sent(Ptr<const Packet>)
{
    counts.frames++;
}

void
Received(Ptr<const Packet> packet)
{
    if (packet->GetSize() > LARGEST_ACKNOWLEDGEMENT)
    {
        counts.segments++;
        counts.last = Simulator::Now().GetSeconds();
    }
}

void
Dropped(Ptr<const Packet>)
{
    counts.drops++;
}

/// Nodes and cables. Each cable is a network of its own.
class Topology
{
  public:
    explicit Topology(bool nix)
        : m_nix(nix)
    {
        m_addresses.SetBase("10.0.0.0", "255.255.255.252");
    }

    NodeContainer Add(uint32_t count)
    {
        NodeContainer nodes(count);
        InternetStackHelper stack;
        if (m_nix)
        {
            stack.SetRoutingHelper(Ipv4NixVectorHelper());
        }
        stack.SetIpv6StackInstall(false);
        stack.Install(nodes);
        return nodes;
    }

    /// A cable; returns the addresses of its two ends.
    Ipv4InterfaceContainer Join(Ptr<Node> a, Ptr<Node> b, const char* rate, const char* delay, uint32_t queue)
    {
        PointToPointHelper cable;
        cable.SetDeviceAttribute("DataRate", StringValue(rate));
        cable.SetChannelAttribute("Delay", StringValue(delay));
        cable.SetQueue("ns3::DropTailQueue", "MaxSize", QueueSizeValue(QueueSize(QueueSizeUnit::BYTES, queue)));
        NetDeviceContainer ends = cable.Install(a, b);
        Ipv4InterfaceContainer addresses = m_addresses.Assign(ends);
        TrafficControlHelper().Uninstall(ends);
        m_addresses.NewNetwork();
        m_devices.Add(ends);
        return addresses;
    }

    /// All that `from` does not know goes to `to`.
    void Default(Ptr<Node> from, Ipv4Address to)
    {
        if (!m_nix)
        {
            Ptr<Ipv4> ip = from->GetObject<Ipv4>();
            Ipv4StaticRoutingHelper().GetStaticRouting(ip)->SetDefaultRoute(to, 1);
        }
    }

    void Count(const NodeContainer& hosts)
    {
        for (uint32_t i = 0; i < m_devices.GetN(); i++)
        {
            m_devices.Get(i)->TraceConnectWithoutContext("PhyTxEnd", MakeCallback(&Sent));
            // A full queue stops its device; the layer above then drops what it is given. Reports a packet once.
            Ptr<Node> node = m_devices.Get(i)->GetNode();
            if (node->GetDevice(1) == m_devices.Get(i))
            {
                node->GetObject<TrafficControlLayer>()->TraceConnectWithoutContext("TcDrop", MakeCallback(&Dropped));
            }
        }
        for (uint32_t i = 0; i < hosts.GetN(); i++)
        {
            hosts.Get(i)->GetDevice(1)->TraceConnectWithoutContext("PhyRxEnd", MakeCallback(&Received));
        }
    }

  private:
    bool m_nix;
    Ipv4AddressHelper m_addresses;
    NetDeviceContainer m_devices;
};

void
Sink(Ptr<Node> node)
{
    PacketSinkHelper helper("ns3::TcpSocketFactory", InetSocketAddress(Ipv4Address::GetAny(), PORT));
    helper.Install(node);
}

void
Bulk(Ptr<Node> from, Ipv4Address to, uint64_t bytes)
{
    BulkSendHelper helper("ns3::TcpSocketFactory", InetSocketAddress(to, PORT));
    helper.SetAttribute("MaxBytes", UintegerValue(bytes));
    helper.SetAttribute("SendSize", UintegerValue(65536));
    helper.Install(from);
}

NodeContainer
Dumbbell(Topology& network, double scale)
{
    constexpr uint32_t PAIRS = 8;
    NodeContainer routers = network.Add(2);
    NodeContainer hosts = network.Add(2 * PAIRS);
    Ipv4InterfaceContainer middle = network.Join(routers.Get(0), routers.Get(1), "1Gbps", "10ms", 2500000);
    network.Default(routers.Get(0), middle.GetAddress(1));
    network.Default(routers.Get(1), middle.GetAddress(0));
    for (uint32_t i = 0; i < 2 * PAIRS; i++)
    {
        Ipv4InterfaceContainer ends = network.Join(hosts.Get(i), routers.Get(i / PAIRS), "1Gbps", "1us", 2500000);
        network.Default(hosts.Get(i), ends.GetAddress(1));
        if (i >= PAIRS)
        {
            Sink(hosts.Get(i));
            Bulk(hosts.Get(i - PAIRS), ends.GetAddress(0), static_cast<uint64_t>(scale * 10e6));
        }
    }
    return hosts;
}

/// Hosts on one router; their addresses.
std::vector<Ipv4Address>
Star(Topology& network, const NodeContainer& hosts, uint32_t queue)
{
    NodeContainer router = network.Add(1);
    std::vector<Ipv4Address> addresses;
    for (uint32_t i = 0; i < hosts.GetN(); i++)
    {
        Ipv4InterfaceContainer ends = network.Join(hosts.Get(i), router.Get(0), "1Gbps", "25us", queue);
        network.Default(hosts.Get(i), ends.GetAddress(1));
        addresses.push_back(ends.GetAddress(0));
        Sink(hosts.Get(i));
    }
    return addresses;
}

NodeContainer
AllToAll(Topology& network, double scale)
{
    constexpr uint32_t HOSTS = 64;
    NodeContainer hosts = network.Add(HOSTS);
    std::vector<Ipv4Address> addresses = Star(network, hosts, 8000000);
    for (uint32_t step = 1; step < HOSTS; step++)
    {
        for (uint32_t i = 0; i < HOSTS; i++)
        {
            Bulk(hosts.Get(i), addresses[(i + step) % HOSTS], static_cast<uint64_t>(scale * 65536));
        }
    }
    return hosts;
}

NodeContainer
Incast(Topology& network, double scale)
{
    constexpr uint32_t SENDERS = 32;
    NodeContainer hosts = network.Add(SENDERS + 1);
    std::vector<Ipv4Address> addresses = Star(network, hosts, 96000);
    for (uint32_t i = 1; i <= SENDERS; i++)
    {
        Bulk(hosts.Get(i), addresses[0], static_cast<uint64_t>(scale * 1e6));
    }
    return hosts;
}

void
ConfigureTcp()
{
    Config::SetDefault("ns3::TcpL4Protocol::SocketType", TypeIdValue(TcpCubic::GetTypeId()));
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
    Config::SetDefault("ns3::TcpSocket::InitialCwnd", UintegerValue(10));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(4 << 20));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(4 << 20));
    Config::SetDefault("ns3::TcpSocketBase::MinRto", TimeValue(MilliSeconds(200)));
}

} // namespace

int
main(int argc, char** argv)
{
    std::string name = "dumbbell", routing = "static";
    bool count = false;
    double scale = 1;
    CommandLine line;
    line.AddNonOption("name", "dumbbell, alltoall or incast", name);
    line.AddValue("count", "count segments and frames", count);
    line.AddValue("routing", "static or nix", routing);
    line.AddValue("scale", "factor on all sizes", scale);
    line.Parse(argc, argv);
    double began = CpuSeconds();
    ConfigureTcp();
    Topology network(routing == "nix");
    NodeContainer hosts = name == "dumbbell" ? Dumbbell(network, scale) : name == "alltoall" ? AllToAll(network, scale) : Incast(network, scale);
    if (count)
    {
        network.Count(hosts);
    }
    Simulator::Run();
    double cpu = CpuSeconds() - began;
    std::cout << name << ',' << cpu << ',' << counts.segments << ',' << counts.frames << ',' << counts.drops << ',' << counts.last << std::endl;
    Simulator::Destroy();
    return 0;
}
