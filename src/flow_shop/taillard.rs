//! The 120 instances of Taillard (1993), "Benchmarks for basic scheduling problems", EJOR 64,
//! 278-285, generated from their seeds, with the best makespans and bounds known today.

use super::Instance;

/// Facts about one of Taillard's instances.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Known {
    /// The number in the name, from 1.
    number: usize,
    /// Number of jobs.
    pub jobs: usize,
    /// Number of machines.
    pub machines: usize,
    /// Seed of the generator.
    pub seed: u32,
    /// Makespan of the best known schedule.
    pub upper_bound: u32,
    /// Best proved bound; equal to `upper_bound` unless the instance is open.
    pub lower_bound: u32,
}

impl Known {
    /// The name, from `ta001` to `ta120`.
    pub fn name(&self) -> String {
        format!("ta{:03}", self.number)
    }

    /// Generates the instance.
    pub fn instance(&self) -> Instance {
        let mut random = Lehmer(self.seed);
        let mut times = vec![0; self.jobs * self.machines];
        for machine in 0..self.machines {
            for job in 0..self.jobs {
                times[job * self.machines + machine] = random.uniform(1, 99);
            }
        }
        Instance::new(self.jobs, self.machines, times)
            .expect("500 jobs of 99 on 20 machines are short")
    }
}

/// All 120 instances in ascending order of their numbers.
pub fn all() -> impl Iterator<Item = Known> {
    let lines = CLASSES.iter().flat_map(|class| {
        class.seeds.into_iter().zip(class.makespans).map(move |line| (class, line))
    });
    (1..).zip(lines).map(|(number, (class, (seed, upper_bound)))| {
        let &Class { jobs, machines, .. } = class;
        let open = OPEN.iter().find(|open| open.0 == number);
        let lower_bound = open.map_or(upper_bound, |open| open.1);
        Known { number, jobs, machines, seed, upper_bound, lower_bound }
    })
}

impl Instance {
    /// A well-known instance: `ta001` to `ta120` of Taillard (1993), generated from its seed.
    /// `None` for an unknown name.
    pub fn named(name: &str) -> Option<Self> {
        find(name).map(|known| known.instance())
    }
}

/// The instance with this name, from `ta001` to `ta120`.
pub fn find(name: &str) -> Option<Known> {
    all().find(|known| known.name() == name)
}

/// The generator of Bratley, Fox and Schrage, printed in Taillard's paper.
struct Lehmer(u32);

impl Lehmer {
    fn uniform(&mut self, low: u32, high: u32) -> u32 {
        const MODULUS: u64 = (1 << 31) - 1;
        self.0 = (u64::from(self.0) * 16807 % MODULUS) as u32;
        low + (u64::from(self.0) * u64::from(high - low + 1) / MODULUS) as u32
    }
}

/// Ten instances of equal size.
struct Class {
    jobs: usize,
    machines: usize,
    seeds: [u32; 10],
    /// The best known makespans.
    makespans: [u32; 10],
}

/// The numbers of the open instances, and their best known bounds.
const OPEN: [(usize, u32); 9] = [
    (51, 3771),
    (54, 3635),
    (55, 3553),
    (59, 3645),
    (60, 3696),
    (87, 6216),
    (88, 6316),
    (89, 6232),
    (102, 11153),
];

const CLASSES: [Class; 12] = [
    Class {
        jobs: 20,
        machines: 5,
        seeds: [
            873654221, 379008056, 1866992158, 216771124, 495070989, 402959317, 1369363414,
            2021925980, 573109518, 88325120,
        ],
        makespans: [1278, 1359, 1081, 1293, 1235, 1195, 1234, 1206, 1230, 1108],
    },
    Class {
        jobs: 20,
        machines: 10,
        seeds: [
            587595453, 1401007982, 873136276, 268827376, 1634173168, 691823909, 73807235,
            1273398721, 2065119309, 1672900551,
        ],
        makespans: [1582, 1659, 1496, 1377, 1419, 1397, 1484, 1538, 1593, 1591],
    },
    Class {
        jobs: 20,
        machines: 20,
        seeds: [
            479340445, 268827376, 1958948863, 918272953, 555010963, 2010851491, 1519833303,
            1748670931, 1923497586, 1829909967,
        ],
        makespans: [2297, 2099, 2326, 2223, 2291, 2226, 2273, 2200, 2237, 2178],
    },
    Class {
        jobs: 50,
        machines: 5,
        seeds: [
            1328042058, 200382020, 496319842, 1203030903, 1730708564, 450926852, 1303135678,
            1273398721, 587288402, 248421594,
        ],
        makespans: [2724, 2834, 2621, 2751, 2863, 2829, 2725, 2683, 2552, 2782],
    },
    Class {
        jobs: 50,
        machines: 10,
        seeds: [
            1958948863, 575633267, 655816003, 1977864101, 93805469, 1803345551, 49612559,
            1899802599, 2013025619, 578962478,
        ],
        makespans: [2991, 2867, 2839, 3063, 2976, 3006, 3093, 3037, 2897, 3065],
    },
    Class {
        jobs: 50,
        machines: 20,
        seeds: [
            1539989115, 691823909, 655816003, 1315102446, 1949668355, 1923497586, 1805594913,
            1861070898, 715643788, 464843328,
        ],
        makespans: [3846, 3699, 3640, 3719, 3610, 3679, 3704, 3691, 3741, 3755],
    },
    Class {
        jobs: 100,
        machines: 5,
        seeds: [
            896678084, 1179439976, 1122278347, 416756875, 267829958, 1835213917, 1328833962,
            1418570761, 161033112, 304212574,
        ],
        makespans: [5493, 5268, 5175, 5014, 5250, 5135, 5246, 5094, 5448, 5322],
    },
    Class {
        jobs: 100,
        machines: 10,
        seeds: [
            1539989115, 655816003, 960914243, 1915696806, 2013025619, 1168140026, 1923497586,
            167698528, 1528387973, 993794175,
        ],
        makespans: [5770, 5349, 5676, 5781, 5467, 5303, 5595, 5617, 5871, 5845],
    },
    Class {
        jobs: 100,
        machines: 20,
        seeds: [
            450926852, 1462772409, 1021685265, 83696007, 508154254, 1861070898, 26482542,
            444956424, 2115448041, 118254244,
        ],
        makespans: [6134, 6183, 6252, 6254, 6270, 6311, 6223, 6367, 6246, 6404],
    },
    Class {
        jobs: 200,
        machines: 10,
        seeds: [
            471503978, 1215892992, 135346136, 1602504050, 160037322, 551454346, 519485142,
            383947510, 1968171878, 540872513,
        ],
        makespans: [10862, 10480, 10922, 10889, 10524, 10329, 10854, 10730, 10438, 10675],
    },
    Class {
        jobs: 200,
        machines: 20,
        seeds: [
            2013025619, 475051709, 914834335, 810642687, 1019331795, 2056065863, 1342855162,
            1325809384, 1988803007, 765656702,
        ],
        makespans: [11158, 11160, 11281, 11275, 11259, 11176, 11337, 11301, 11146, 11284],
    },
    Class {
        jobs: 500,
        machines: 20,
        seeds: [
            1368624604, 450181436, 1927888393, 1759567256, 606425239, 19268348, 1298201670,
            2041736264, 379756761, 28837162,
        ],
        makespans: [26040, 26500, 26371, 26456, 26334, 26469, 26389, 26560, 26005, 26457],
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow_shop::bounds;

    #[test]
    fn first_rows_are_those_published() {
        let instance = Instance::named("ta001").unwrap();
        let first_machine: Vec<u32> = (0..10).map(|job| instance.job(job)[0]).collect();
        assert_eq!(first_machine, [54, 83, 15, 71, 77, 36, 53, 38, 27, 87]);
        let sizes =
            |name| Instance::named(name).map(|instance| (instance.jobs(), instance.machines()));
        assert_eq!(sizes("ta021"), Some((20, 20)));
        assert_eq!(sizes("ta120"), Some((500, 20)));
        assert_eq!(sizes("ta121"), None);
        assert_eq!(sizes("ta1"), None);
    }

    #[test]
    fn known_values_agree_with_the_instances() {
        let mut open = 0;
        for known in all() {
            open += usize::from(known.lower_bound < known.upper_bound);
            assert!(known.lower_bound <= known.upper_bound);
            // A wrong matrix would hardly have a bound this close below the optimum.
            let bound = bounds::one_machine(&known.instance());
            let name = known.name();
            assert!(
                bound <= known.lower_bound && bound * 4 > known.lower_bound * 3,
                "{name}: {bound}"
            );
        }
        assert_eq!(open, 9);
    }
}
